// Answers of the server: errors, and the call that waits for one.

import { HeddleError, ProtocolError } from './errors.js'
import { Kind } from './frames.js'
import { codec } from './schema.js'

/**
 * @param {import('./generated/types.js').Error} error
 * @returns {HeddleError}
 */
export function refused(error) {
  const code = typeof error.code === 'number' ? String(error.code) : error.code
  const details = Object.fromEntries(error.details.map(({ name, value }) => [name, value]))
  const text = error.details.map(({ name, value }) => ` (${name}: ${value})`).join('')
  return new HeddleError('Refused', `${code} ${error.reason}: ${error.message}${text}`, {
    code, reason: error.reason, details, retryAfterMs: error.retryAfterMs, debugId: error.debugId,
  })
}

/** A call that waits. @implements {import('./connection.js').Handler} */
export class Pending {
  received = 0
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  timer

  /**
   * @param {import('./connection.js').Connection} connection
   * @param {(payload: Uint8Array) => void} resolve
   * @param {(error: HeddleError) => void} reject
   */
  constructor(connection, resolve, reject) {
    this.connection = connection
    this.resolve = resolve
    this.reject = reject
  }

  /**
   * @param {number} kind
   * @param {Uint8Array} payload
   * @param {number} size
   */
  frame(kind, payload, size) {
    this.received = size
    this.done()
    if (kind === Kind.RESPONSE) this.resolve(payload)
    else if (kind === Kind.ERROR) this.reject(refused(codec.decode('Error', payload)))
    else this.reject(new ProtocolError('the server sent an event where an answer is due'))
  }

  /** @param {HeddleError} error */
  ended(error) {
    this.done()
    this.reject(error)
  }

  done() {
    clearTimeout(this.timer)
    this.connection.answered()
  }
}

/** @param {AbortSignal} [signal] */
export function cancelled(signal) {
  return new HeddleError('Cancelled', 'the program cancelled the call', { cause: signal?.reason })
}
