// One connection to one server: bytes in, frames to whoever asked, frames out.
//
//   opening   HELLO is on its way.                                                     → open, ended
//   open      calls go.                                                                → leaving, ended
//   leaving   the server has sent GOAWAY, or the client replaces it: nothing new; what it covers goes on. → ended
//   ended     everybody who waited has been told.

import { cancelled, Pending, refused } from './answers.js'
import { HeddleError, lost, ProtocolError } from './errors.js'
import { Cutter, END_OF_STREAM, Kind, pack, RECEIVED_BYTES } from './frames.js'
import { randomBytes } from './random.js'
import { codec } from './schema.js'

/**
 * @typedef {object} Receiver
 * @property {() => void} opened
 * @property {(data: Uint8Array) => void} data
 * @property {(reason: string) => void} ended
 *
 * @typedef {object} Transport A stream of bytes to a server.
 * @property {(receiver: Receiver) => void} listen
 * @property {(data: Uint8Array) => void} write
 * @property {() => void} close after everything that was written
 * @property {() => void} abort
 *
 * @typedef {object} Handler Whoever has asked for something on a stream.
 * @property {(kind: number, payload: Uint8Array, size: number) => void} frame
 * @property {(error: HeddleError) => void} ended
 *
 * @typedef {object} Owner
 * @property {(connection: Connection, stream: number, method: number, payload: Uint8Array) => void} serverAsks
 * @property {(connection: Connection, stream: number) => void} serverTakesBack
 * @property {(error: HeddleError) => void} serverRefuses
 * @property {(connection: Connection) => void} connectionLeaves
 * @property {(connection: Connection, reason: string) => void} connectionEnded
 */

const LAST_STREAM = 2 ** 32 - 3
const PING_INTERVAL_MS = 5_000
const NOTHING = new Uint8Array()

export class Connection {
  /** @type {import('./generated/types.js').ServerHello | undefined} */
  hello
  isLeaving = false
  hasEnded = false
  limit = 256
  inFlight = 0
  /** By how much the server's clock is ahead of this machine's, in milliseconds. */
  clockAheadMs = 0
  /** @type {Set<string>} The threads that subscriptions of this connection follow, one each: UUIDs. */
  follows = new Set()
  #cutter = new Cutter()
  /** @type {Uint8Array[]} */
  #out = []
  #flushIsSet = false
  /** @type {Map<number, Handler>} */
  #streams = new Map()
  /** @type {(() => void)[]} */
  #room = []
  #next = 1
  #heardAt = Date.now()
  #pingedAt = 0
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #clock
  /** @type {HeddleError | undefined} */
  #fault
  /** @type {(() => void) | undefined} */
  #greeted
  /** @type {((error: HeddleError) => void) | undefined} */
  #refused
  /** @type {() => void} */
  #gone = () => {}

  /**
   * @param {Owner} owner
   * @param {import('./client.js').Settings} settings
   * @param {Transport} transport
   * @param {Uint8Array} hello
   */
  constructor(owner, settings, transport, hello) {
    this.owner = owner
    this.settings = settings
    this.transport = transport
    /** @type {Promise<void>} */
    this.ready = new Promise((resolve, reject) => {
      this.#greeted = resolve
      this.#refused = reject
    })
    this.ready.catch(() => {})
    /** @type {Promise<void>} */
    this.gone = new Promise((resolve) => { this.#gone = resolve })
    transport.listen({
      opened: () => {
        transport.write(hello)
        this.#heardAt = Date.now()
      },
      data: (data) => this.#data(data),
      ended: (reason) => this.end(lost(reason)),
    })
    this.#tick()
  }

  get isUsable() { return !this.hasEnded && !this.isLeaving && this.hello !== undefined }

  // In

  /** @param {Uint8Array} data */
  #data(data) {
    if (this.hasEnded) return
    this.#heardAt = Date.now()
    try {
      for (const frame of this.#cutter.cut(data)) {
        this.#frame(frame)
        if (this.hasEnded) return
      }
    } catch (error) {
      this.end(error instanceof HeddleError ? error : new ProtocolError(`${error}`))
    }
  }

  /** @param {import('./frames.js').Frame} frame */
  #frame({ kind, flags, method, stream, payload, size }) {
    const mayComeFirst = kind === Kind.HELLO || kind === Kind.PING || kind === Kind.PONG || kind === Kind.GOAWAY
    if (this.hello === undefined && !mayComeFirst) throw new ProtocolError("the server's first frame is no HELLO")
    if (stream % 2 === 1 && (kind === Kind.RESPONSE || kind === Kind.EVENT || kind === Kind.ERROR)) {
      this.#answer(kind, flags, stream, payload, size)
    } else if (kind === Kind.PING) {
      this.write(Kind.PONG, 0, 0, codec.encode('Pong', { opaque: codec.decode('Ping', payload).opaque }))
    } else if (kind === Kind.GOAWAY) {
      this.#goAway(codec.decode('GoAway', payload))
    } else if (kind === Kind.HELLO) {
      this.#sayHello(codec.decode('ServerHello', payload))
    } else if (kind === Kind.REQUEST && stream !== 0 && stream % 2 === 0) {
      this.owner.serverAsks(this, stream, method, payload)
    } else if (kind === Kind.CANCEL) {
      this.owner.serverTakesBack(this, stream)
    } else if (kind === Kind.ERROR) {
      this.owner.serverRefuses(refused(codec.decode('Error', payload)))
    } else if (kind !== Kind.PONG && kind !== Kind.EVENT) {
      throw new ProtocolError(`the server sent a frame of kind ${kind} on stream ${stream}`)
    }
  }

  /**
   * @param {number} kind
   * @param {number} flags
   * @param {number} stream
   * @param {Uint8Array} payload
   * @param {number} size
   */
  #answer(kind, flags, stream, payload, size) {
    const handler = this.#streams.get(stream)
    if (handler === undefined) {
      // One that has ended may be answered late; one that was never opened may not.
      if (stream >= this.#next) throw new ProtocolError(`the server answers on stream ${stream}, which was never opened`)
      return
    }
    const isLast = kind === Kind.RESPONSE && (flags & END_OF_STREAM || handler instanceof Pending)
    if (kind === Kind.ERROR || isLast || handler instanceof Pending) this.#streams.delete(stream)
    handler.frame(kind, payload, size)
    this.endIfDone()
  }

  /** @param {import('./generated/types.js').ServerHello} hello */
  #sayHello(hello) {
    if (this.hello !== undefined) throw new ProtocolError('the server said HELLO twice')
    if (hello.version !== 1) throw new ProtocolError(`the server speaks version ${hello.version} of the protocol`)
    this.hello = hello
    if (hello.serverTime) this.clockAheadMs = hello.serverTime - Date.now()
    this.limit = hello.limits?.requestsInFlight || this.limit
    this.#cutter.largest = Math.max(RECEIVED_BYTES, 2 * (hello.limits?.frameBytes ?? 0))
    this.#greeted?.()
  }

  /** @param {import('./generated/types.js').GoAway} notice */
  #goAway(notice) {
    const error = refused(notice.error ?? codec.empty('Error'))
    this.#fault ??= error
    if (this.hello === undefined) return this.end(error)
    this.isLeaving = true
    for (const [stream, handler] of [...this.#streams]) {
      if (stream <= notice.lastStream) continue
      this.#streams.delete(stream)
      handler.ended(lost(`the server goes: ${error.message}`, { wasSent: false }))
    }
    this.#wakeAll()
    this.owner.connectionLeaves(this)
    this.endIfDone()
  }

  // Out

  /**
   * @param {number} kind
   * @param {number} method
   * @param {number} stream
   * @param {Uint8Array} payload
   * @param {Uint8Array} [metadata]
   */
  write(kind, method, stream, payload, metadata) {
    if (this.hasEnded) return
    this.#out.push(pack(kind, method, stream, payload, metadata))
    if (this.#flushIsSet) return
    this.#flushIsSet = true
    queueMicrotask(() => this.#flush())
  }

  #flush() {
    this.#flushIsSet = false
    const out = this.#out
    if (this.hasEnded || out.length === 0) return
    this.#out = []
    if (out.length === 1) return this.transport.write(out[0])
    const whole = new Uint8Array(out.reduce((sum, bytes) => sum + bytes.length, 0))
    let at = 0
    for (const bytes of out) {
      whole.set(bytes, at)
      at += bytes.length
    }
    this.transport.write(whole)
  }

  /**
   * @param {number} method
   * @param {Uint8Array} payload
   * @param {Uint8Array} metadata
   * @param {Handler} handler
   */
  openStream(method, payload, metadata, handler) {
    if (!this.isUsable || this.#next > LAST_STREAM) {
      this.leave()
      throw lost('the connection takes no more calls', { wasSent: false })
    }
    const most = this.hello?.limits?.frameBytes ?? 0
    if (most > 0 && payload.length + metadata.length > most) {
      throw new HeddleError('TooLarge', `the message has ${payload.length} bytes; the server takes ${most}`)
    }
    const stream = this.#next
    this.#next += 2
    this.#streams.set(stream, handler)
    this.write(Kind.REQUEST, method, stream, payload, metadata)
    return stream
  }

  /** @param {number} stream */
  cancel(stream) {
    if (this.#streams.has(stream)) this.write(Kind.CANCEL, 0, stream, NOTHING)
  }

  /**
   * One request and its answer, and the bytes of that.
   * @param {number} method
   * @param {Uint8Array} payload
   * @param {() => Uint8Array} metadata
   * @param {number} deadline in milliseconds since 1970, or Infinity
   * @param {AbortSignal} [signal]
   * @returns {Promise<{ payload: Uint8Array, received: number, sent: number }>}
   */
  async call(method, payload, metadata, deadline, signal) {
    while (this.inFlight >= this.limit && this.isUsable) await this.#waitForRoom(deadline, signal)
    return await new Promise((resolve, reject) => {
      const beside = metadata()
      const sent = 16 + beside.length + payload.length
      const pending = new Pending(this, (answer) => {
        signal?.removeEventListener('abort', abort)
        resolve({ payload: answer, received: pending.received, sent })
      }, (error) => {
        signal?.removeEventListener('abort', abort)
        reject(error)
      })
      const stream = this.openStream(method, payload, beside, pending)
      this.inFlight++
      const abort = () => {
        this.cancel(stream)
        reject(cancelled(signal))
      }
      signal?.addEventListener('abort', abort)
      if (deadline !== Infinity) {
        pending.timer = setTimeout(() => {
          this.cancel(stream)
          reject(new HeddleError('TimedOut', "the call's time is over"))
        }, Math.max(0, deadline - Date.now()))
      }
    })
  }

  /**
   * @param {number} deadline
   * @param {AbortSignal} [signal]
   * @returns {Promise<void>}
   */
  #waitForRoom(deadline, signal) {
    return new Promise((resolve, reject) => {
      /** @type {ReturnType<typeof setTimeout> | undefined} */
      let timer
      const stop = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', abort)
        this.#room = this.#room.filter((one) => one !== wake)
      }
      const wake = () => { stop(); resolve() }
      const abort = () => { stop(); reject(cancelled(signal)) }
      if (deadline !== Infinity) {
        timer = setTimeout(() => {
          stop()
          reject(new HeddleError('TimedOut', 'the call waited for others until its time was over'))
        }, Math.max(0, deadline - Date.now()))
      }
      signal?.addEventListener('abort', abort)
      this.#room.push(wake)
    })
  }

  answered() {
    this.inFlight--
    this.#room[0]?.()
  }

  #wakeAll() { for (const wake of [...this.#room]) wake() }

  // Time

  #tick() {
    if (this.hasEnded) return
    const { pingAfterMs, lostAfterMs } = this.settings
    const now = Date.now()
    const silence = now - this.#heardAt
    if (silence >= lostAfterMs) return this.end(lost(`nothing came from the server for ${Math.round(silence / 1_000)} s`))
    if (this.hello && silence >= pingAfterMs && now - this.#pingedAt >= Math.min(PING_INTERVAL_MS, pingAfterMs)) {
      this.#pingedAt = now
      this.write(Kind.PING, 0, 0, codec.encode('Ping', { opaque: randomBytes(8) }))
    }
    this.#clock = setTimeout(() => this.#tick(), Math.min(pingAfterMs, lostAfterMs) / 4)
  }

  // The end

  /** Nothing new goes out; it closes when everything is answered. */
  leave() {
    if (this.isLeaving || this.hasEnded) return
    this.isLeaving = true
    this.#wakeAll()
    this.owner.connectionLeaves(this)
    this.endIfDone()
  }

  endIfDone() {
    if (this.isLeaving && this.#streams.size === 0 && !this.hasEnded) this.end(this.#fault ?? lost('the connection was replaced'))
  }

  /** @param {HeddleError} error */
  end(error) {
    if (this.hasEnded) return
    this.#flush()
    this.hasEnded = true
    clearTimeout(this.#clock)
    if (this.isLeaving) this.transport.close()
    else this.transport.abort()
    // A GOAWAY that came before says more than the end of the bytes.
    const cause = this.#fault !== undefined && error.kind === 'Lost' ? this.#fault : error
    this.#refused?.(cause)
    const streams = [...this.#streams.values()]
    this.#streams.clear()
    for (const handler of streams) {
      handler.ended(cause.kind === 'Protocol' || cause.kind === 'TooLarge' ? cause : lost(cause.message, { cause }))
    }
    this.#wakeAll()
    this.#gone()
    this.owner.connectionEnded(this, cause.message)
  }
}
