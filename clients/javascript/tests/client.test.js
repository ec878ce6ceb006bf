// The client against a real server. What a bad server does is in the conformance suite.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { connect, HeddleError, Reason, uuid } from '../src/index.js'
import { Server } from './server.js'

/** @type {Server} */
let server

before(async () => { server = await new Server().start() })
after(async () => { await server.stop() })

test('calls, events and a turn', async () => {
  const client = await connect(server.url)
  const { thread } = await client.threads.start({ name: 'first' })
  assert.equal((await client.threads.read({ thread: uuid(thread.id) })).thread.name, 'first')
  const result = await client.turn(thread.id, '!chunks 20\n!delay 5\nHello there').result()
  assert.equal(result.text, 'You said: Hello there')
  assert.ok(result.usage.outputTokens > 0)
  const pieces = []
  for await (const piece of client.turn(thread.id, '!chunks 7\n!delay 20\nabcdefg').text) pieces.push(piece)
  assert.equal(pieces.join(''), 'You said: abcdefg')
  assert.ok(pieces.length > 1)
  await client.settings.update({ thread: thread.id, change: { mode: { set: 'PROACTIVE' } } })
  await assert.rejects(client.threads.read({ thread: 'e2ab4092-b323-424e-8dce-1f2c5d3fdf5e' }), (error) => {
    assert.ok(error instanceof HeddleError)
    assert.deepEqual([error.kind, error.code, error.reason, error.mayHaveHappened], ['Refused', 'NOT_FOUND', Reason.THREAD, false])
    return true
  })
  const names = []
  for await (const one of client.threads.eachList({ pageSize: 1 })) names.push(one.name)
  assert.deepEqual(names, ['first'])
  await client.close()
})

test('a turn that fails, and one that the program gives up', async () => {
  const client = await connect(server.url)
  const { thread } = await client.threads.start()
  await assert.rejects(client.turn(thread.id, '!fail').result(), { kind: 'TurnFailed', status: 'FAILED', reason: 'model_failed' })
  const patience = new AbortController()
  const stalled = client.turn(thread.id, '!stall', { signal: patience.signal }).result()
  setTimeout(() => patience.abort(), 300)
  await assert.rejects(stalled, { kind: 'Cancelled' })
  const statuses = []
  for await (const message of client.subscribe(thread.id, { after: 0 })) {
    if (message.event?.turnEnded) statuses.push(message.event.turnEnded.status)
    if (message.live) break
  }
  assert.deepEqual(statuses, ['FAILED', 'INTERRUPTED'])
  await client.close()
})

test('kill -9 in the middle loses nothing: each change once, each event once', async () => {
  const mine = await new Server().start()
  const client = await connect(mine.url, { backoffMs: 50, longestBackoffMs: 200, retries: 100 })
  const { thread } = await client.threads.start()
  const names = []
  const following = (async () => {
    for await (const { event } of client.subscribe(thread.id, { after: 0 })) {
      if (event?.nameChanged) names.push(event.nameChanged.name)
      if (names.at(-1) === 'last') return
    }
  })()
  const wanted = []
  for (let number = 0; number < 60; number++) {
    let starting
    if ([10, 30, 50].includes(number)) {
      await mine.kill()
      starting = mine.start()
    }
    wanted.push(`name ${number}`)
    await client.threads.setName({ thread: thread.id, name: wanted.at(-1) })
    await starting
  }
  await client.threads.setName({ thread: thread.id, name: 'last' })
  await following
  assert.deepEqual(names, [...wanted, 'last'])
  await client.close()
  await mine.stop()
})

test('a tool and a question', async () => {
  const client = await connect(server.url, { tools: { weather: ({ town }) => ({ town, sky: 'grey' }) } })
  client.onQuestion(() => 'Bern')
  const { thread } = await client.threads.start({
    asksUser: true, tools: [{ name: 'weather', description: 'd', schema: '{"type":"object"}' }],
  })
  assert.match((await client.turn(thread.id, '!tool weather {"town": "Bern"}').result()).text, /grey/)
  assert.match((await client.turn(thread.id, '!tool request_user_input {"question": "Which town?"}').result()).text, /Bern/)
  await client.close()
})

test('a call that its signal cancels, and one whose time is over', async () => {
  const client = await connect(server.url)
  await assert.rejects(client.server.status({}, { signal: AbortSignal.abort() }), { kind: 'Cancelled' })
  await client.close()
  await assert.rejects(client.server.status(), { kind: 'Closed' })
})

test('nobody listens', async () => {
  await assert.rejects(connect('heddle://127.0.0.1:1', { retries: 0 }), (error) => error.kind === 'CannotConnect' && /127.0.0.1:1/.test(error.message))
})
