// One turn: its text as it comes, and its end.

import { HeddleError } from './errors.js'

/**
 * @typedef {object} TurnResult
 * @property {Uint8Array} turn
 * @property {string} text
 * @property {import('./generated/types.js').TokenUsage | undefined} usage
 */

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** The model's messages of a turn, by item and byte: each byte comes once, wherever it comes from. */
class Texts {
  /** @type {Map<string, number>} */
  #seen = new Map()

  /** @param {import('./generated/types.js').Item} item */
  begin(item) { if (item.message && !this.#seen.has(String(item.id))) this.#seen.set(String(item.id), 0) }

  /**
   * What is new of a piece; one beyond a gap waits for the item's end.
   * @param {Uint8Array} item
   * @param {number} offset
   * @param {string} text
   */
  piece(item, offset, text) {
    const seen = this.#seen.get(String(item))
    const bytes = encoder.encode(text)
    if (seen === undefined || offset > seen || offset + bytes.length <= seen) return ''
    this.#seen.set(String(item), offset + bytes.length)
    return decoder.decode(bytes.subarray(seen - offset))
  }

  /** @param {import('./generated/types.js').Item} item */
  whole(item) {
    if (item.message?.role !== 'ASSISTANT') return ''
    this.begin(item)
    return this.piece(item.id, 0, item.message.content.map((part) => part.text ?? '').join(''))
  }
}

/** Made by `client.turn`. Take `text` or `result()`, once. */
export class Turn {
  /** @type {Uint8Array | undefined} The turn's id, as soon as it is started. */
  id
  /** @type {import('./generated/types.js').TokenUsage | undefined} */
  usage
  #whole = ''
  #texts = new Texts()

  /**
   * @param {import('./client.js').Client} client
   * @param {Uint8Array} thread
   * @param {string} input
   * @param {any} options
   */
  constructor(client, thread, input, options) {
    this.client = client
    this.thread = thread
    this.input = input
    this.options = options
  }

  /** The model's words as they come. */
  get text() { return this.#run() }

  /**
   * The whole text and the tokens used; throws if the turn fails.
   * @returns {Promise<TurnResult>}
   */
  async result() {
    for await (const piece of this.#run()) void piece
    return { turn: /** @type {Uint8Array} */ (this.id), text: this.#whole, usage: this.usage }
  }

  async interrupt() { if (this.id) await this.client.turns.interrupt({ thread: this.thread, turn: this.id }) }

  /** @returns {AsyncGenerator<string, void, void>} */
  async *#run() {
    const { signal, ...fields } = this.options
    const subscription = this.client.subscribe(this.thread, { signal })
    try {
      await subscription.whenOpen()
      const input = { content: [{ text: this.input }] }
      this.id = (await this.client.turns.start({ ...fields, thread: this.thread, input }, { signal })).turn
      for await (const message of subscription) {
        const piece = this.#new(message)
        this.#whole += piece
        if (piece) yield piece
        if (this.#isEnd(message)) return
      }
      throw new HeddleError(signal?.aborted ? 'Cancelled' : 'Closed', 'the turn is not followed any more', { cause: signal?.reason })
    } finally {
      subscription.close()
      // The program has given the turn up: the server need not go on with it.
      if (signal?.aborted && !this.usage) await this.interrupt().catch(() => {})
    }
  }

  /** @param {import('./generated/types.js').SubscriptionEvent} message */
  #new({ delta, snapshot, event }) {
    if (delta && this.#isMine(delta.turn)) return this.#texts.piece(delta.item, delta.offset, delta.text)
    if (snapshot && this.#isMine(snapshot.turn)) return this.#texts.piece(snapshot.item, 0, snapshot.text)
    if (!event?.turn || !this.#isMine(event.turn)) return ''
    if (event.itemStarted?.item) this.#texts.begin(event.itemStarted.item)
    return event.itemCompleted?.item ? this.#texts.whole(event.itemCompleted.item) : ''
  }

  /** @param {Uint8Array} turn */
  #isMine(turn) { return String(turn) === String(this.id) }

  /** @param {import('./generated/types.js').SubscriptionEvent} message */
  #isEnd({ event }) {
    const ended = event?.turnEnded
    if (!ended || !this.#isMine(ended.turn)) return false
    this.usage = ended.usage
    if (ended.status === 'COMPLETED') return true
    throw new HeddleError('TurnFailed', ended.error?.message || `the turn ended as ${ended.status}`, {
      status: String(ended.status), reason: ended.error?.reason, text: this.#whole,
    })
  }
}
