// Tools of this client that the model calls, and questions to its user.
//
// The server asks every connection that follows the thread, and asks again after a lost one. A call is known by its id, so
// the function runs once; its result goes to where it was asked for last.

import { uuid } from './codec.js'
import { Kind } from './frames.js'
import { CALL_TOOL, REQUEST_USER_INPUT } from './generated/methods.js'
import { codec } from './schema.js'

/**
 * @typedef {import('./connection.js').Connection} Connection
 * @typedef {{ call: import('./generated/types.js').CallToolRequest, signal: AbortSignal }} ToolCall
 * @typedef {(args: any, call: ToolCall) => unknown} Tool
 * @typedef {(question: import('./generated/types.js').RequestUserInputRequest, call: { signal: AbortSignal }) => string | Promise<string>} Question
 */

const REMEMBERED = 1_024
const UNKNOWN = 2
const INVALID_ARGUMENT = 3
const DEADLINE_EXCEEDED = 4
const UNIMPLEMENTED = 12

/** A call that runs, or has a result. */
class Run {
  /** @type {{ connection: Connection, stream: number }[]} */
  places = []
  patience = new AbortController()
  /** @type {{ kind: number, payload: Uint8Array } | undefined} */
  result
}

export class Tools {
  /** @type {Map<string, Tool>} */
  #tools = new Map()
  /** @type {Question | undefined} */
  #question
  /** @type {Map<string, Run>} */
  #runs = new Map()
  #running = 0
  /** @type {(() => void)[]} */
  #waiting = []
  #isClosed = false

  /**
   * @param {number} atOnce
   * @param {(text: string) => void} log
   */
  constructor(atOnce, log) {
    this.atOnce = atOnce
    this.log = log
  }

  get features() { return [...(this.#tools.size > 0 ? ['call_tool'] : []), ...(this.#question ? ['request_user_input'] : [])] }

  /**
   * True: HELLO has to say more than before.
   * @param {string} name
   * @param {Tool} tool
   */
  add(name, tool) {
    this.#tools.set(name, tool)
    return this.#tools.size === 1
  }

  /** @param {Question} question */
  askWith(question) {
    const isFirst = this.#question === undefined
    this.#question = question
    return isFirst
  }

  close() {
    this.#isClosed = true
    for (const run of this.#runs.values()) run.patience.abort()
  }

  // What the server says

  /**
   * @param {Connection} connection
   * @param {number} stream
   * @param {number} method
   * @param {Uint8Array} payload
   */
  asked(connection, stream, method, payload) {
    const refuse = (/** @type {number} */ code, /** @type {string} */ text) => connection.write(Kind.ERROR, method, stream, failure(code, text))
    if (this.#isClosed || (method !== CALL_TOOL && method !== REQUEST_USER_INPUT)) return refuse(UNIMPLEMENTED, 'this client has no such method')
    let request
    try {
      request = codec.decode(method === CALL_TOOL ? 'CallToolRequest' : 'RequestUserInputRequest', payload)
    } catch {
      return refuse(INVALID_ARGUMENT, 'the request cannot be read')
    }
    const tool = method === CALL_TOOL ? this.#tools.get(request.name) : this.#question
    if (!tool) return refuse(UNIMPLEMENTED, 'this client does not have the tool')
    const key = `${uuid(request.thread)} ${uuid(request.turn)} ${request.callId}`
    const known = this.#runs.get(key)
    if (known?.result) return connection.write(known.result.kind, method, stream, known.result.payload)
    if (known) {
      known.places = [...known.places.filter((place) => !place.connection.hasEnded), { connection, stream }]
      return
    }
    const run = new Run()
    run.places.push({ connection, stream })
    this.#runs.set(key, run)
    this.#forget()
    this.#serve(run, tool, request, connection, method).catch((error) => this.log(`a tool: ${error}`))
  }

  /**
   * @param {Connection} connection
   * @param {number} stream
   */
  takenBack(connection, stream) {
    for (const [key, run] of this.#runs) {
      const left = run.places.filter((place) => place.connection !== connection || place.stream !== stream)
      if (left.length === run.places.length) continue
      run.places = left
      if (left.some((place) => !place.connection.hasEnded) || run.result) continue
      run.patience.abort()
      this.#runs.delete(key)
    }
  }

  #forget() {
    for (const [key, run] of this.#runs) {
      if (this.#runs.size <= REMEMBERED) return
      if (run.result) this.#runs.delete(key)
    }
  }

  // The functions

  /**
   * @param {Run} run
   * @param {Tool | Question} tool
   * @param {any} request
   * @param {Connection} connection
   * @param {number} method
   */
  async #serve(run, tool, request, connection, method) {
    while (this.#running >= this.atOnce) await new Promise((resolve) => this.#waiting.push(() => resolve(undefined)))
    if (run.patience.signal.aborted) return
    this.#running++
    const left = request.deadline ? Math.max(0, request.deadline - connection.clockAheadMs - Date.now()) : undefined
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let timer
    try {
      const late = new Promise((_, reject) => {
        if (left !== undefined) timer = setTimeout(() => reject(new Late()), Math.min(left, 2 ** 31 - 1))
        run.patience.signal.addEventListener('abort', () => reject(new Late()))
      })
      const payload = await Promise.race([this.#answer(tool, request, run, method), late])
      run.result = { kind: Kind.RESPONSE, payload: /** @type {Uint8Array} */ (payload) }
    } catch (error) {
      if (run.patience.signal.aborted) return
      const isLate = error instanceof Late
      if (isLate) run.patience.abort()
      const text = isLate ? 'the tool did not end in its time' : error instanceof Error ? error.message : String(error)
      run.result = { kind: Kind.ERROR, payload: failure(isLate ? DEADLINE_EXCEEDED : UNKNOWN, text.slice(0, 4_000)) }
    } finally {
      clearTimeout(timer)
      this.#running--
      this.#waiting.shift()?.()
    }
    const most = connection.hello?.limits?.frameBytes ?? 0
    if (most > 0 && run.result.payload.length > most) {
      run.result = { kind: Kind.ERROR, payload: failure(UNKNOWN, `the tool's result is larger than ${most} bytes`) }
    }
    for (const place of run.places) place.connection.write(run.result.kind, method, place.stream, run.result.payload)
  }

  /**
   * @param {any} tool
   * @param {any} request
   * @param {Run} run
   * @param {number} method
   */
  async #answer(tool, request, run, method) {
    const signal = run.patience.signal
    if (method === REQUEST_USER_INPUT) {
      const answer = await tool(request, { signal })
      return codec.encode('RequestUserInputResponse', { answer: String(answer), actionHash: request.actionHash })
    }
    const args = JSON.parse(request.arguments || '{}')
    if (typeof args !== 'object' || args === null || Array.isArray(args)) throw new TypeError('the arguments are no JSON object')
    const value = await tool(args, { call: request, signal })
    const text = typeof value === 'string' ? value : value === undefined || value === null ? '' : JSON.stringify(value)
    return codec.encode('CallToolResponse', { content: [{ text }], success: true })
  }
}

class Late extends Error {}

/**
 * @param {number} code
 * @param {string} message
 */
function failure(code, message) { return codec.encode('Error', { code, reason: 'tool_failed', message }) }
