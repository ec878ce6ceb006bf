// A client: its connections, and calls that survive them.

import { Attempts, sleep } from './attempts.js'
import { cancelled } from './answers.js'
import { Connection } from './connection.js'
import { idBytes } from './codec.js'
import { HeddleError, lost } from './errors.js'
import { Kind, pack } from './frames.js'
import { retry } from './generated/errors.js'
import * as services from './generated/services.js'
import { codec } from './schema.js'
import { Subscription } from './subscription.js'
import { Tools } from './tools.js'
import { Turn } from './turn.js'

/**
 * @typedef {object} Method
 * @property {number} number
 * @property {string} path
 * @property {string} request
 * @property {string} response
 * @property {boolean} keyed the server keeps one result for each key, so a repetition happens once
 * @property {boolean} repeatable a call that may have been served can be sent again
 * @property {string} items the repeated field of a page; empty: the method has no pages
 *
 * @typedef {object} CallOptions
 * @property {AbortSignal} [signal] cancels the call, on the server too
 * @property {number} [timeoutMs] the time of the call with all its attempts
 * @property {Uint8Array} [key] 16 bytes, of a change: the same key has one result
 *
 * @typedef {{ method: string, attempts: number, microseconds: number, sentBytes: number, receivedBytes: number, reason: string }} CallEnded
 *
 * @typedef {object} Hooks What a program can see of its client. No hook gets a token or a message.
 * @property {(host: string, port: number) => void} [connected]
 * @property {(reason: string) => void} [lost]
 * @property {(method: string, attempt: number, waitMs: number, reason: string) => void} [retry]
 * @property {(call: CallEnded) => void} [call]
 * @property {(thread: Uint8Array | undefined, after: number | undefined) => void} [resumed]
 * @property {(text: string) => void} [log] a line for people, at the level of debugging
 *
 * @typedef {object} Settings
 * @property {string | (() => string | Promise<string>)} [token] a token, or a function that gives a fresh one
 * @property {number} timeoutMs the time of a call with all its attempts; Infinity: no bound
 * @property {number} retries attempts after the first one; 0: a call is sent once
 * @property {number} backoffMs the first wait between attempts, which doubles
 * @property {number} longestBackoffMs
 * @property {number} connectTimeoutMs the time for one host to connect and to say HELLO
 * @property {number} credit bytes of a subscription that may wait for the program
 * @property {number} pingAfterMs silence of the server after which it is asked whether it is there
 * @property {number} lostAfterMs silence after which the connection counts as lost
 * @property {number} closeTimeoutMs the time that `close` gives to calls that have no answer yet
 * @property {number} toolsAtOnce calls of tools that run at the same time
 * @property {string} clientName
 * @property {() => { traceparent?: string, tracestate?: string }} [trace] the trace of the call at hand
 * @property {Hooks} [hooks]
 * @property {Record<string, import('./tools.js').Tool>} [tools] tools by name, as `client.tool` registers them
 *
 * @typedef {{ open: (target: import('./url.js').Target, place: { host: string, port: number }) => import('./connection.js').Transport }} TransportModule
 */

/** @type {Settings} */
const DEFAULTS = {
  timeoutMs: 30_000, retries: 4, backoffMs: 100, longestBackoffMs: 10_000, connectTimeoutMs: 10_000, credit: 2 ** 20,
  pingAfterMs: 30_000, lostAfterMs: 90_000, closeTimeoutMs: 5_000, toolsAtOnce: 64, clientName: 'heddle-javascript',
}
const STARTS = ['ThreadService/Start', 'ThreadService/Resume', 'ThreadService/Fork']

export class Client {
  isClosed = false
  /** @type {Set<Connection>} */
  connections = new Set()
  /** @type {Set<Subscription>} */
  subscriptions = new Set()
  /** @type {Connection | undefined} */
  #current
  /** @type {Promise<Connection> | undefined} */
  #dialing

  /**
   * @param {import('./url.js').Target} target
   * @param {TransportModule} transport
   * @param {Partial<Settings>} settings
   */
  constructor(target, transport, settings) {
    this.target = target
    this.transport = transport
    /** @type {Settings} */
    this.options = { ...DEFAULTS, ...settings }
    this.hooks = guarded(this.options.hooks ?? {})
    this.tools = new Tools(this.options.toolsAtOnce, (text) => this.hooks.log?.(text))
    for (const [name, tool] of Object.entries(this.options.tools ?? {})) this.tools.add(name, tool)
    this.threads = new services.ThreadsService(this)
    this.turns = new services.TurnsService(this)
    this.settings = new services.SettingsService(this)
    this.agents = new services.AgentsService(this)
    this.catalog = new services.CatalogService(this)
    this.server = new services.ServerService(this)
    this.calls = new services.CallsService(this)
  }

  toString() { return `Client of ${this.target.hosts.map(({ host, port }) => `${host}:${port}`)}${this.target.tls ? ' by TLS' : ''}` }

  toJSON() { return this.toString() }

  // What a program does

  /**
   * The events of a thread, from event `after` on, over connections that come and go.
   * @param {Uint8Array | string | undefined} [thread] undefined: notices of all threads
   * @param {import('./subscription.js').SubscribeOptions} [options]
   */
  subscribe(thread, options = {}) { return new Subscription(this, thread === undefined ? undefined : idBytes(thread), options) }

  /**
   * Starts a turn and follows it: `for await (const text of client.turn(thread, 'Hello').text)`.
   * @param {Uint8Array | string} thread
   * @param {string} text
   * @param {Omit<import('./generated/types.js').StartTurnRequestInit, 'thread' | 'input'> & { signal?: AbortSignal }} [options]
   */
  turn(thread, text, options = {}) { return new Turn(this, idBytes(thread), text, options) }

  /**
   * Names the function that runs a tool. It gets the arguments and what belongs to the call, and returns text, or a value that
   * JSON can hold. The model is told of an error that it throws. The thread must offer the tool: `threads.start({ tools })`.
   * @param {string} name
   * @param {import('./tools.js').Tool} tool
   */
  tool(name, tool) { if (this.tools.add(name, tool)) this.#renew() }

  /**
   * Names the function that asks the user: it gets the question and returns the answer's text.
   * @param {import('./tools.js').Question} question
   */
  onQuestion(question) { if (this.tools.askWith(question)) this.#renew() }

  /** Waits for calls that have no answer yet, at most `closeTimeoutMs`; then nothing is left. */
  async close() {
    if (this.isClosed) return
    this.isClosed = true
    for (const subscription of [...this.subscriptions]) subscription.close()
    this.tools.close()
    const connections = [...this.connections]
    for (const connection of connections) connection.leave()
    const patience = new AbortController()
    await Promise.race([
      Promise.all(connections.map((connection) => connection.gone)),
      sleep(this.options.closeTimeoutMs, patience.signal).catch(() => {}),
    ])
    patience.abort()
    for (const connection of [...this.connections]) connection.end(lost('the client is closed'))
  }

  async [Symbol.for('Symbol.asyncDispose')]() { await this.close() }

  // Connections

  /**
   * The connection for new calls.
   * @param {number} [deadline]
   * @param {AbortSignal} [signal]
   * @returns {Promise<Connection>}
   */
  async connection(deadline = Infinity, signal = undefined) {
    if (this.#current?.isUsable) return this.#current
    if (this.isClosed) throw new HeddleError('Closed', 'the client is closed')
    this.#dialing ??= this.#dial().then((connection) => (this.#current = connection)).finally(() => { this.#dialing = undefined })
    // One caller that gives up does not end it for the others.
    const dialing = this.#dialing
    const patience = new AbortController()
    const give = () => patience.abort()
    signal?.addEventListener('abort', give)
    try {
      const late = deadline === Infinity && signal === undefined ? new Promise(() => {})
        : sleep(deadline === Infinity ? 2 ** 31 - 1 : Math.max(0, deadline - Date.now()), patience.signal).then(
          () => { throw new HeddleError('TimedOut', "no connection was there in the call's time") },
          () => { throw cancelled(signal) })
      const connection = await /** @type {Promise<Connection>} */ (Promise.race([dialing, late]))
      late.catch(() => {})
      return connection
    } finally {
      signal?.removeEventListener('abort', give)
      patience.abort()
    }
  }

  /**
   * One that does not follow the thread yet; from now on it does.
   * @param {string} thread
   */
  async connectionFor(thread) {
    const first = await this.connection()
    const free = [first, ...this.connections].find((one) => one.isUsable && !one.follows.has(thread))
    const connection = free ?? await this.#dial()
    connection.follows.add(thread)
    return connection
  }

  leaveCurrent() { this.#current?.leave() }

  /** @returns {Promise<Connection>} */
  async #dial() {
    const hello = await this.#hello()
    const failures = []
    for (const place of this.target.hosts) {
      const at = `${place.host}:${place.port}`
      /** @type {Connection | undefined} */
      let connection
      try {
        connection = new Connection(this, this.options, this.transport.open(this.target, place), hello)
        await this.#inTime(connection, at)
        if (this.isClosed) throw new HeddleError('Closed', 'the client is closed')
        this.connections.add(connection)
        this.hooks.connected?.(place.host, place.port)
        return connection
      } catch (error) {
        connection?.end(lost('it could not be opened'))
        if (!(error instanceof HeddleError)) failures.push(`${at}: ${error instanceof Error ? error.message : error}`)
        else if (error.kind === 'Protocol' || error.kind === 'Closed' || error.kind === 'TooLarge') throw error
        // Another server may have room, or not be on its way down; a wrong token is wrong everywhere.
        else if (error.kind === 'Refused' && (retry[error.reason] !== 'reconnect' || place === this.target.hosts.at(-1))) throw error
        else failures.push(`${at}: ${error.message}`)
      }
    }
    throw new HeddleError('CannotConnect', `no server can be reached: ${failures.join('; ')}`)
  }

  /**
   * @param {Connection} connection
   * @param {string} at
   */
  async #inTime(connection, at) {
    const timer = setTimeout(() => connection.end(lost(`${at} did not answer in time`)), this.options.connectTimeoutMs)
    try {
      await connection.ready
    } finally {
      clearTimeout(timer)
    }
  }

  async #hello() {
    const { token, clientName } = this.options
    let given
    try {
      given = typeof token === 'function' ? await token() : token ?? ''
    } catch (error) {
      throw new HeddleError('CannotConnect', `the function for the token threw: ${error instanceof Error ? error.message : error}`)
    }
    return pack(Kind.HELLO, 0, 0, codec.encode('ClientHello', {
      clientName, token: given, features: this.tools.features, unwantedNotifications: ['thread_started'],
    }))
  }

  /** HELLO names what has handlers, so a new handler needs a new connection. */
  #renew() { for (const connection of [...this.connections]) connection.leave() }

  // Calls

  /**
   * Any method: those of the services do this with their own.
   * @param {Method} method
   * @param {any} request
   * @param {CallOptions} options
   * @returns {Promise<any>}
   */
  async call(method, request, options = {}) {
    const asked = STARTS.includes(method.path) ? { ...request, subscribe: false } : request
    const attempts = new Attempts(this, method, options)
    return codec.decode(method.response, await attempts.run(codec.encode(method.request, asked)))
  }

  /**
   * @param {Method} method
   * @param {any} request
   * @param {CallOptions} options
   */
  async *pages(method, request, options) {
    let cursor = request.cursor ?? ''
    do {
      const page = await this.call(method, { ...request, cursor }, options)
      yield* page[method.items]
      cursor = page.nextCursor
    } while (cursor !== '')
  }

  // Owner of connections

  /**
   * @param {Connection} connection
   * @param {number} stream
   * @param {number} method
   * @param {Uint8Array} payload
   */
  serverAsks(connection, stream, method, payload) { this.tools.asked(connection, stream, method, payload) }

  /**
   * @param {Connection} connection
   * @param {number} stream
   */
  serverTakesBack(connection, stream) { this.tools.takenBack(connection, stream) }

  /** @param {HeddleError} error */
  serverRefuses(error) { this.hooks.log?.(`the server does not take an answer: ${error.message}`) }

  /** @param {Connection} connection */
  connectionLeaves(connection) { for (const subscription of [...this.subscriptions]) subscription.leave(connection) }

  /**
   * @param {Connection} connection
   * @param {string} reason
   */
  connectionEnded(connection, reason) { if (this.connections.delete(connection)) this.hooks.lost?.(reason) }
}

/**
 * Hooks that cannot do harm.
 * @param {Hooks} hooks
 * @returns {Hooks}
 */
function guarded(hooks) {
  return Object.fromEntries(Object.entries(hooks).map(([name, hook]) => [name, (/** @type {any[]} */ ...given) => {
    try {
      /** @type {Function} */ (hook).apply(hooks, given)
    } catch (error) {
      if (name !== 'log') hooks.log?.(`the hook ${name} threw ${error}`)
    }
  }]))
}

