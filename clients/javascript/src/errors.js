// What can go wrong. `HeddleError` is the base of everything that this package throws by itself.

/**
 * @typedef {object} Facts
 * @property {string} [code]
 * @property {string} [reason]
 * @property {Record<string, string>} [details]
 * @property {number} [retryAfterMs]
 * @property {string} [debugId]
 * @property {boolean} [wasSent]
 * @property {string} [status]
 * @property {string} [text]
 * @property {unknown} [cause]
 */

/** A call did not end with an answer. */
export class HeddleError extends Error {
  /** How often the call was sent, or was tried to be sent. */
  attempts = 1
  /** A change may have been made although no answer came. The same call with the same `key` tells. */
  mayHaveHappened = false

  /**
   * @param {'Refused' | 'CannotConnect' | 'Lost' | 'TimedOut' | 'Protocol' | 'TooLarge' | 'Closed' | 'Cancelled' | 'TurnFailed'} kind
   * @param {string} message
   * @param {Facts} [facts]
   */
  constructor(kind, message, facts = {}) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause })
    this.name = `Heddle${kind}`
    this.kind = kind
    /** The code of a refusal, such as `NOT_FOUND`. */
    this.code = facts.code ?? ''
    /** A stable name to switch on (docs/errors.md), of a refusal or a turn that failed. */
    this.reason = facts.reason ?? ''
    /** Facts about the error, as text by name. */
    this.details = facts.details ?? {}
    /** Time to wait before the next attempt, or undefined. */
    this.retryAfterMs = facts.retryAfterMs
    /** Names the line in the server's log, or is empty. */
    this.debugId = facts.debugId ?? ''
    /** False: the server has not served the call. */
    this.wasSent = facts.wasSent ?? true
    /** `FAILED` or `INTERRUPTED`, of a turn. */
    this.status = facts.status ?? ''
    /** The text of a turn until it failed. */
    this.text = facts.text ?? ''
  }
}

/** The server sent something that no server of this protocol sends. */
export class ProtocolError extends HeddleError {
  /** @param {string} message */
  constructor(message) { super('Protocol', message) }
}

/**
 * @param {string} message
 * @param {Facts} [facts]
 */
export const lost = (message, facts) => new HeddleError('Lost', message, facts)
