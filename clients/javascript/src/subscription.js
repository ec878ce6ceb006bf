// A subscription: an iterator over the messages of a thread, which survives connections.
//
// It goes on behind the last event that the program has taken. What was read ahead of it goes with its connection and comes
// again, so nothing is skipped and no event comes twice.

import { causeOf, sleep } from './attempts.js'
import { uuid } from './codec.js'
import { HeddleError, ProtocolError } from './errors.js'
import { Kind } from './frames.js'
import { retry } from './generated/errors.js'
import { codec } from './schema.js'
import { Gap, Stream } from './stream.js'

/**
 * @typedef {import('./generated/types.js').SubscriptionEvent} Message
 *
 * @typedef {object} SubscribeOptions
 * @property {number} [after] the last event that is known already; 0: all of them; undefined: only new ones
 * @property {bigint} [epoch] the epoch that `after` belongs to
 * @property {boolean} [tree] the agents below the thread too; such a message has `thread`
 * @property {import('./generated/types.js').SubscriptionKind[]} [kinds] `EVENTS`, `DELTAS`, `STATUS`; all by default
 * @property {number} [credit] bytes that may wait for the program
 * @property {AbortSignal} [signal] closes the subscription
 */

const SUBSCRIBE = 118

/** `for await (const message of client.subscribe(thread, { after: 0 }))`; a message is a `SubscriptionEvent`. */
export class Subscription {
  /** @type {Stream | undefined} */
  stream
  /** Messages of kinds that this client does not know. */
  skipped = 0
  /** @type {bigint | undefined} */
  epoch
  /** @type {number | undefined} The last event that the program has taken. */
  cursor
  /** @type {number | undefined} The last one that has come. */
  #received
  /** @type {Map<string, number>} */
  #agents = new Map()
  /** @type {{ message: Message | Gap, size: number }[]} */
  #queue = []
  #returned = 0
  /** @type {(() => void)[]} */
  #waiters = []
  /** @type {HeddleError | undefined} */
  #error
  #isOpening = false
  #hasOpened = false
  #gapsInARow = 0
  /** Streams that ended soon, without a message taken since: such a subscription comes again ever more slowly. */
  #broken = 0
  /** @type {{ inner: Subscription, gap: Gap } | undefined} */
  #filling
  #isClosed = false
  #patience = new AbortController()

  /**
   * @param {import('./client.js').Client} client
   * @param {Uint8Array | undefined} thread
   * @param {SubscribeOptions} options
   */
  constructor(client, thread, options) {
    this.client = client
    this.thread = thread
    this.id = thread ? uuid(thread) : ''
    this.options = options
    this.credit = options.credit || client.options.credit
    this.cursor = this.#received = options.after
    this.epoch = options.epoch
    options.signal?.addEventListener('abort', () => this.close(), { once: true })
  }

  // The program's side

  /** @returns {AsyncIterator<Message, undefined>} */
  [Symbol.asyncIterator]() {
    return {
      next: async () => {
        const value = await this.next()
        return value === undefined ? { done: true, value } : { done: false, value }
      },
      return: async () => {
        this.close()
        return { done: true, value: undefined }
      },
    }
  }

  /**
   * The next message; undefined: the subscription is closed.
   * @returns {Promise<Message | undefined>}
   */
  async next() {
    for (;;) {
      if (this.#filling) {
        const filled = await this.#fill(this.#filling)
        if (filled) return filled
        continue
      }
      const entry = this.#queue.shift()
      if (entry?.message instanceof Gap) {
        const { agent, after } = entry.message
        this.#filling = { inner: new Subscription(this.client, agent, { after, kinds: ['EVENTS'], credit: this.credit }), gap: entry.message }
        continue
      }
      if (entry) {
        this.#taken(entry.message, entry.size)
        return entry.message
      }
      if (this.#isClosed) return undefined
      if (this.#error) {
        this.#isClosed = true
        this.client.subscriptions.delete(this)
        throw this.#error
      }
      this.open()
      await this.#woken()
    }
  }

  /** Returns when the server follows the thread for this subscription. */
  async whenOpen() {
    this.open()
    while (!this.#hasOpened && !this.#error && !this.#isClosed) await this.#woken()
    if (this.#error) throw this.#error
  }

  close() {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#patience.abort()
    this.client.subscriptions.delete(this)
    this.#filling?.inner.close()
    this.stream?.leave()
    this.stream = undefined
    this.#queue = []
    this.#wake()
  }

  /** @returns {Promise<void>} */
  #woken() { return new Promise((resolve) => this.#waiters.push(resolve)) }

  #wake() {
    const waiters = this.#waiters
    this.#waiters = []
    for (const resolve of waiters) resolve()
  }

  /**
   * @param {Message} message
   * @param {number} size
   */
  #taken(message, size) {
    this.#broken = 0
    if (message.event) {
      if (message.thread) this.#agents.set(uuid(message.thread), message.event.sequence)
      else this.cursor = message.event.sequence
    }
    this.#returned += size
    if (!this.stream || this.#returned < this.credit / 2) return
    this.stream.allowed += this.#returned
    this.stream.connection.write(Kind.CREDIT, SUBSCRIBE, this.stream.number, codec.encode('Credit', { bytes: this.#returned }))
    this.#returned = 0
  }

  /** @param {{ inner: Subscription, gap: Gap }} filling */
  async #fill({ inner, gap }) {
    const id = uuid(gap.agent)
    if ((this.#agents.get(id) ?? gap.after) >= gap.until) {
      this.#filling = undefined
      inner.close()
      return undefined
    }
    let message
    try {
      message = await inner.next()
    } catch (error) {
      // An agent that has been deleted has nothing left to read.
      if (!(error instanceof HeddleError) || error.reason !== 'thread') throw error
    }
    if (!message) this.#agents.set(id, gap.until)
    if (!message?.event) return undefined
    this.#agents.set(id, message.event.sequence)
    return { ...message, thread: gap.agent }
  }

  // The connections' side

  /** Begins to follow, if it has not begun. */
  open() {
    if (this.stream || this.#isOpening || this.#error || this.#isClosed) return
    this.client.subscriptions.add(this)
    this.#isOpening = true
    this.#open().catch((error) => this.#fail(error)).finally(() => { this.#isOpening = false })
  }

  /** Subscribes, as often as it takes. */
  async #open() {
    if (this.#broken > 1) await sleep(this.#backoff(this.#broken - 2), this.#patience.signal).catch(() => {})
    for (let attempt = 0; !this.#isClosed; attempt++) {
      let wait = 0
      try {
        const connection = await this.client.connectionFor(this.id)
        try {
          if (!this.#isClosed) return this.#subscribe(connection)
          connection.follows.delete(this.id)
        } catch (error) {
          connection.follows.delete(this.id)
          throw error
        }
        return
      } catch (error) {
        if (!(error instanceof HeddleError)) throw error
        const mayPass = ['Lost', 'CannotConnect', 'TimedOut'].includes(error.kind)
          || (error.kind === 'Refused' && ['wait', 'reconnect'].includes(retry[error.reason] ?? ''))
        if (!mayPass) throw error
        wait = error.retryAfterMs ?? 0
      }
      await sleep(Math.max(wait, this.#backoff(attempt)), this.#patience.signal).catch(() => {})
    }
  }

  /** @param {number} attempt */
  #backoff(attempt) {
    const { backoffMs, longestBackoffMs } = this.client.options
    return Math.min(longestBackoffMs, backoffMs * 2 ** Math.min(attempt, 20)) * (0.5 + Math.random() / 2)
  }

  /** @param {import('./connection.js').Connection} connection */
  #subscribe(connection) {
    const stream = new Stream(this, connection)
    const { tree, kinds } = this.options
    this.#received = this.cursor
    this.#returned = 0
    const request = { thread: this.thread, after: this.cursor, epoch: this.epoch, tree, kinds, credit: this.credit }
    stream.number = connection.openStream(SUBSCRIBE, codec.encode('SubscribeRequest', request), new Uint8Array(), stream)
    this.stream = stream
    if (this.#hasOpened) this.client.hooks.resumed?.(this.thread, this.cursor)
  }

  /** @param {Message} message */
  opened(message) {
    if (this.thread) {
      if (!message.subscribed) throw new ProtocolError('the answer to Subscribe is not `subscribed`')
      const { head, epoch } = message.subscribed
      if (this.epoch !== undefined && this.epoch !== epoch) {
        throw new ProtocolError(`the thread's epoch was ${this.epoch} and is ${epoch}: its events are other ones`)
      }
      if (this.cursor !== undefined && head < this.cursor) {
        throw new ProtocolError(`the thread ends at event ${head}, and ${this.cursor} was seen`)
      }
      this.epoch = epoch
      if (this.cursor === undefined) this.cursor = this.#received = head
    }
    if (this.#hasOpened) return
    this.#hasOpened = true
    this.#queue.push({ message, size: 0 })
    this.#wake()
  }

  /**
   * @param {Message} message
   * @param {number} size
   */
  came(message, size) {
    if (message.kind === undefined) {
      this.skipped++
      this.#returned += size
      return
    }
    if (message.subscribed) {
      if (!message.thread) throw new ProtocolError('the server sent `subscribed` twice')
      this.#agentBegins(message.thread, message.subscribed.head)
    } else if (message.event && !message.thread && !this.#isNext(message.event.sequence)) {
      this.#returned += size
      return
    }
    this.#queue.push({ message, size })
    this.#wake()
  }

  /**
   * Whether the event is the next one. One that was seen is dropped; a gap is asked for once more.
   * @param {number} sequence
   */
  #isNext(sequence) {
    const last = this.#received
    if (last !== undefined && sequence <= last) return false
    if (last !== undefined && sequence !== last + 1) {
      this.#gapsInARow++
      if (this.#gapsInARow > 1) {
        this.#fail(new ProtocolError(`the server leaves out events: ${sequence} comes after ${last}`))
      } else {
        this.stream?.leave()
        this.#startAgain()
      }
      return false
    }
    this.#received = sequence
    this.#gapsInARow = 0
    return true
  }

  /**
   * @param {Uint8Array} agent
   * @param {number} head
   */
  #agentBegins(agent, head) {
    const id = uuid(agent)
    const known = this.#agents.get(id)
    if (known !== undefined && head > known) this.#queue.push({ message: new Gap(agent, known, head), size: 0 })
    if (known === undefined) this.#agents.set(id, head)
  }

  /**
   * The stream has ended.
   * @param {Stream} stream
   * @param {HeddleError} error
   */
  broke(stream, error) {
    if (error.kind === 'Protocol' || error.kind === 'TooLarge') return this.#fail(error)
    // What follows may make the connection leave, which is no news to a stream that has ended.
    this.stream = undefined
    const hasLived = performance.now() - stream.since > this.client.options.longestBackoffMs
    this.#broken = hasLived ? 1 : this.#broken + 1
    const cause = causeOf(error)
    if (cause.kind === 'Refused') {
      const decided = retry[cause.reason] ?? 'never'
      if (decided === 'reconnect' && error.kind === 'Refused') stream.connection.leave()
      const mayRenew = typeof this.client.options.token === 'function'
      if ((decided === 'never' && error.kind !== 'Lost') || (decided === 'token' && !mayRenew)) return this.#fail(cause)
      if (decided === 'token' && error.kind === 'Refused') stream.connection.leave()
    }
    this.#startAgain()
  }

  /**
   * The connection takes nothing new: the subscription moves to another one.
   * @param {import('./connection.js').Connection} connection
   */
  leave(connection) {
    if (this.stream?.connection !== connection) return
    this.stream.leave()
    this.#startAgain()
  }

  /** Behind what the program has taken; what was read ahead comes again. */
  #startAgain() {
    this.stream = undefined
    this.#queue = this.#queue.filter(({ message }) => !(message instanceof Gap) && message.subscribed && !message.thread)
    if (this.#isClosed) return
    this.#isOpening = false
    this.open()
  }

  /** @param {HeddleError} error */
  #fail(error) {
    this.#error ??= error
    this.stream?.leave()
    this.stream = undefined
    this.#wake()
  }
}
