// One call, as often as it takes.

import { HeddleError } from './errors.js'
import { retry } from './generated/errors.js'
import { randomBytes } from './random.js'
import { codec } from './schema.js'
import { cancelled } from './answers.js'

/** After these the outcome of a change is open although the server answered. */
const OPEN_OUTCOMES = ['storage_failed', 'deadline_exceeded', 'cancelled', 'internal']
const DAY_MS = 86_400_000

/**
 * Why the server ended a connection, or the error itself.
 * @param {HeddleError} error
 * @returns {HeddleError}
 */
export function causeOf(error) {
  return error.kind === 'Lost' && error.cause instanceof HeddleError && error.cause.kind === 'Refused' ? error.cause : error
}

/**
 * Waits, unless the signal comes first.
 * @param {number} milliseconds
 * @param {AbortSignal} [signal]
 * @returns {Promise<void>}
 */
export function sleep(milliseconds, signal) {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(cancelled(signal))
    }
    if (signal?.aborted) return reject(cancelled(signal))
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, milliseconds)
    signal?.addEventListener('abort', stop)
  })
}

export class Attempts {
  count = 0
  sent = 0
  received = 0
  #isSent = false
  /** A change may have been made, and no answer has said whether. */
  #outcomeIsOpen = false
  #hasNewToken = false
  #beganAt = performance.now()

  /**
   * @param {import('./client.js').Client} client
   * @param {import('./client.js').Method} method
   * @param {import('./client.js').CallOptions} options
   */
  constructor(client, method, options) {
    this.client = client
    this.method = method
    this.signal = options.signal
    const timeout = options.timeoutMs ?? client.options.timeoutMs
    this.deadline = timeout === Infinity ? Infinity : Date.now() + timeout
    this.key = method.keyed ? options.key ?? randomBytes(16) : undefined
    if (this.key && this.key.length !== 16) throw new TypeError(`a key has 16 bytes, not ${this.key.length}`)
  }

  /**
   * @param {Uint8Array} payload
   * @returns {Promise<Uint8Array>}
   */
  async run(payload) {
    for (;;) {
      this.count++
      try {
        const answer = await this.#once(payload)
        this.#note('')
        return answer
      } catch (error) {
        if (!(error instanceof HeddleError)) throw error
        const wait = this.#waitBeforeAnother(error)
        if (wait === undefined) {
          this.#note(error.reason || error.kind)
          throw error
        }
        this.client.hooks.retry?.(this.method.path, this.count, wait, error.reason || error.kind)
        await sleep(wait, this.signal)
      }
    }
  }

  /** @param {Uint8Array} payload */
  async #once(payload) {
    if (this.signal?.aborted) throw cancelled(this.signal)
    if (Date.now() >= this.deadline) throw new HeddleError('TimedOut', "the call's time is over")
    const connection = await this.client.connection(this.deadline, this.signal)
    try {
      const answer = await connection.call(this.method.number, payload, () => this.#metadata(), this.deadline, this.signal)
      this.sent += answer.sent
      this.received += answer.received
      return answer.payload
    } catch (error) {
      if (error instanceof HeddleError && error.kind !== 'TooLarge') {
        this.#isSent ||= error.kind !== 'Lost' || error.wasSent
        if (error.kind === 'Refused' && retry[error.reason] === 'reconnect') connection.leave()
      }
      throw error
    }
  }

  #metadata() {
    const { traceparent, tracestate } = this.client.options.trace?.() ?? {}
    const deadlineMs = this.deadline === Infinity ? undefined : Math.min(DAY_MS, Math.max(1, Math.floor(this.deadline - Date.now())))
    return codec.encode('Metadata', { idempotencyKey: this.key, deadlineMs, traceparent, tracestate })
  }

  /**
   * Milliseconds until the next attempt, or undefined: this error is the call's.
   * @param {HeddleError} error
   */
  #waitBeforeAnother(error) {
    const cause = causeOf(error)
    const reason = cause.kind === 'Refused' ? cause.reason : ''
    const isOpen = (error.kind === 'TimedOut' && this.#isSent) || (error.kind === 'Lost' && error.wasSent)
      || (error.kind === 'Cancelled' && this.#isSent) || (error.kind === 'Refused' && OPEN_OUTCOMES.includes(reason))
    this.#outcomeIsOpen ||= isOpen && (this.method.keyed || !this.method.repeatable)
    error.attempts = this.count
    error.mayHaveHappened = this.#outcomeIsOpen
    const { backoffMs, longestBackoffMs, retries } = this.client.options
    if (this.count > retries || this.client.isClosed || !this.#mayRepeat(error, reason, isOpen)) return undefined
    let wait = Math.min(longestBackoffMs, backoffMs * 2 ** (this.count - 1)) * (0.5 + Math.random() / 2)
    // The server has said that it did not serve the call, and another connection may.
    if (this.count === 1 && !isOpen && retry[reason] !== 'wait' && error.kind !== 'CannotConnect') wait = 0
    wait = Math.max(wait, cause.retryAfterMs ?? 0)
    return Date.now() + wait >= this.deadline ? undefined : wait
  }

  /**
   * @param {HeddleError} error
   * @param {string} reason
   * @param {boolean} isOpen
   */
  #mayRepeat(error, reason, isOpen) {
    if (isOpen && !this.method.repeatable) return false
    const decided = retry[reason] ?? 'never'
    if (decided === 'token') return this.#mayRenewToken()
    if (error.kind === 'Refused') return decided === 'wait' || decided === 'reconnect'
    return error.kind === 'CannotConnect' || (error.kind === 'Lost' && (reason === '' || decided !== 'never'))
  }

  #mayRenewToken() {
    if (this.#hasNewToken || typeof this.client.options.token !== 'function') return false
    this.#hasNewToken = true
    this.client.leaveCurrent()
    return true
  }

  /** @param {string} reason */
  #note(reason) {
    this.client.hooks.call?.({
      method: this.method.path, attempts: this.count, microseconds: Math.round((performance.now() - this.#beganAt) * 1_000),
      sentBytes: this.sent, receivedBytes: this.received, reason,
    })
  }
}
