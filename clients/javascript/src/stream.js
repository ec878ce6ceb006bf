// A subscription on one connection.

import { refused } from './answers.js'
import { ProtocolError } from './errors.js'
import { Kind } from './frames.js'
import { codec } from './schema.js'

/** A server sends the message that uses up the credit in full; one that goes far beyond does not count. */
const OVERDRAFT = 8 * 2 ** 20

/** Events of an agent that came while there was no connection: they are read before the stream goes on. */
export class Gap {
  /**
   * @param {Uint8Array} agent
   * @param {number} after
   * @param {number} until
   */
  constructor(agent, after, until) {
    this.agent = agent
    this.after = after
    this.until = until
  }
}

/** The subscription on one connection. @implements {import('./connection.js').Handler} */
export class Stream {
  number = 0
  since = performance.now()
  isDone = false

  /**
   * @param {import('./subscription.js').Subscription} owner
   * @param {import('./connection.js').Connection} connection
   */
  constructor(owner, connection) {
    this.owner = owner
    this.connection = connection
    this.allowed = owner.credit
  }

  /**
   * @param {number} kind
   * @param {Uint8Array} payload
   * @param {number} size
   */
  frame(kind, payload, size) {
    if (this.owner.stream !== this) return
    if (kind === Kind.ERROR) {
      this.done()
      this.owner.broke(this, refused(codec.decode('Error', payload)))
      return
    }
    const message = codec.decode('SubscriptionEvent', payload)
    if (kind === Kind.RESPONSE) return this.owner.opened(message)
    this.allowed -= size
    if (this.allowed < -OVERDRAFT) throw new ProtocolError("the server sends more than the subscription's credit allows")
    this.owner.came(message, size)
  }

  /** @param {import('./errors.js').HeddleError} error */
  ended(error) {
    this.done()
    if (this.owner.stream === this) this.owner.broke(this, error)
  }

  /** Once: afterwards another stream of this connection may follow the thread. */
  done() {
    if (!this.isDone) this.connection.follows.delete(this.owner.id)
    this.isDone = true
  }

  /** The rest of it is not wanted any more. */
  leave() {
    this.done()
    this.connection.cancel(this.number)
  }
}
