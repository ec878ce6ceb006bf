// The driver of the JavaScript client for the conformance suite: conformance/README.md.

import { Codec } from '../src/codec.js'
import { create, HeddleError } from '../src/index.js'
import { methods } from '../src/generated/methods.js'
import { codec as heddle } from '../src/schema.js'
import * as tables from './tables.js'

const codec = new Codec(tables)
const TIMES = ['timeoutMs', 'backoffMs', 'longestBackoffMs', 'connectTimeoutMs', 'pingAfterMs', 'lostAfterMs', 'closeTimeoutMs']

class Driver {
  client
  background = new Map()
  logged = []

  async begin() {
    for (const { patience } of this.background.values()) patience.abort()
    await Promise.allSettled([...this.background.values()].map(({ work }) => work))
    await this.client?.close()
    Object.assign(this, { client: undefined, background: new Map(), heard: [], subscriptions: {}, taking: {}, tools: [], begun: {}, cancelled: {} })
  }

  async connect(asked) {
    const settings = { hooks: this.hooks(), token: this.token(asked) }
    for (const name of TIMES) if (asked[name]) settings[name] = asked[name]
    if (asked.retries !== undefined) settings.retries = asked.retries
    if (asked.credit) settings.credit = asked.credit
    this.client = create(asked.url, settings)
    for (const tool of this.tools) this.register(tool)
    await this.client.connection(Date.now() + this.client.options.timeoutMs)
  }

  hooks() {
    return {
      connected: () => this.heard.push('connected'), lost: () => this.heard.push('lost'), resumed: () => this.heard.push('resumed'),
      retry: (method, attempt, wait, reason) => this.heard.push(`retry ${method} ${reason}`),
      call: ({ method, reason }) => this.heard.push(`call ${method} ${reason}`), log: (text) => this.logged.push(text),
    }
  }

  token({ token, tokens, tokenFails }) {
    if (token || (tokens.length === 0 && !tokenFails)) return token || undefined
    return () => {
      if (tokens.length > 1) return tokens.shift()
      if (tokenFails) throw new Error('no token today')
      return tokens[0]
    }
  }

  async call(asked, id) {
    const method = methods[asked.method]
    const patience = new AbortController()
    const options = { signal: patience.signal, timeoutMs: asked.timeoutMs || undefined, key: asked.key.length ? asked.key : undefined }
    const work = this.client.call(method, heddle.decode(method.request, asked.request), options)
      .then((answer) => ({ answer: { message: heddle.encode(method.response, answer) } }))
    return this.run(id, asked.background, patience, work)
  }

  async run(id, inBackground, patience, work) {
    if (!inBackground) return await work
    work.catch(() => {})
    this.background.set(id, { patience, work })
  }

  async await({ step }) { return await this.background.get(step).work }

  async cancel({ step }) { this.background.get(step).patience.abort() }

  async subscribe({ name, thread, after, epoch, tree, kinds, credit }) {
    this.subscriptions[name] = this.client.subscribe(thread, { after, epoch, tree, kinds, credit })
    this.subscriptions[name].open()
  }

  async next({ name, timeoutMs }) {
    // One that came to nothing goes on: the message must not be lost.
    const taking = (this.taking[name] ??= this.subscriptions[name].next())
    taking.catch(() => {})
    let timer
    const late = new Promise((resolve) => { timer = setTimeout(resolve, timeoutMs || 5_000, 'late') })
    try {
      const message = await Promise.race([taking, late])
      if (message === 'late') return { nothing: {} }
      delete this.taking[name]
      return message ? { event: { message: heddle.encode('SubscriptionEvent', message) } } : { ended: {} }
    } finally {
      clearTimeout(timer)
    }
  }

  async unsubscribe({ name }) { this.subscriptions[name].close() }

  async turn({ thread, text, background }, id) {
    const patience = new AbortController()
    return this.run(id, background, patience, this.wholeTurn(thread, text, patience.signal))
  }

  async wholeTurn(thread, text, signal) {
    const turn = this.client.turn(thread, text, { signal })
    const pieces = []
    for await (const piece of turn.text) pieces.push(piece)
    return { turn: { text: pieces.join(''), turn: turn.id, outputTokens: turn.usage?.outputTokens ?? 0, pieces: pieces.length } }
  }

  async pages({ method, request, most }) {
    const { request: asked, response, items: field } = methods[method]
    const type = tablesOf(response).find(([, name]) => name === field)[4]
    const items = []
    for await (const item of this.client.pages(methods[method], heddle.decode(asked, request), {})) {
      items.push(heddle.encode(type, item))
      if (items.length === most) break
    }
    return { items: { items } }
  }

  async tool(tool) {
    this.tools.push(tool)
    if (this.client) this.register(tool)
  }

  register(tool) {
    const work = async (args, { signal }) => {
      this.begun[tool.name] = (this.begun[tool.name] ?? 0) + 1
      if (tool.does === 'fail') throw new Error(tool.fail)
      if (tool.does === 'large') return 'x'.repeat(tool.large)
      if (tool.does !== 'waitMs') return tool.answer ?? ''
      return await new Promise((resolve) => {
        const timer = setTimeout(resolve, tool.waitMs, 'waited')
        signal.addEventListener('abort', () => {
          clearTimeout(timer)
          this.cancelled[tool.name] = (this.cancelled[tool.name] ?? 0) + 1
        })
      })
    }
    if (tool.question) this.client.onQuestion(work)
    else this.client.tool(tool.name, work)
  }

  async toolRuns() {
    const entries = (counts) => Object.entries(counts).map(([key, value]) => ({ key, value }))
    return { counts: { begun: entries(this.begun), cancelled: entries(this.cancelled) } }
  }

  async hooksStep() {
    const hooks = this.heard
    this.heard = []
    return { heard: { hooks, text: [...this.logged, String(this.client), JSON.stringify(this.client)].join('\n') } }
  }

  async close() { await this.client.close() }

  async vector({ message, bytes }) {
    const type = message.replace('heddle.v1.', '')
    return { answer: { message: heddle.encode(type, heddle.decode(type, bytes)) } }
  }

  async report({ id, what, ...step }) {
    try {
      const made = await this[what === 'hooks' ? 'hooksStep' : what](step[what], id)
      return { id, ...(made ?? { done: {} }) }
    } catch (error) {
      if (!(error instanceof HeddleError)) throw error
      const { kind, code, reason, message, debugId, attempts, mayHaveHappened } = error
      const details = Object.entries(error.details).map(([key, value]) => ({ key, value }))
      return { id, failed: { kind, code, reason, message, details, debugId, attempts, mayHaveHappened } }
    }
  }
}

const tablesOf = (type) => heddleTables.messages[type]
const heddleTables = await import('../src/generated/tables.js')

const driver = new Driver()
let input = Buffer.alloc(0)
for await (const data of process.stdin) {
  input = Buffer.concat([input, data])
  while (input.length >= 4 && input.length >= 4 + input.readUInt32BE()) {
    const body = input.subarray(4, 4 + input.readUInt32BE())
    input = input.subarray(4 + body.length)
    const report = codec.encode('Report', await driver.report(codec.decode('Step', new Uint8Array(body))))
    const head = Buffer.alloc(4)
    head.writeUInt32BE(report.length)
    process.stdout.write(Buffer.concat([head, report]))
  }
}
process.exit(0)
