// The entry for browsers, in Deno, which has a browser's WebSocket.

import assert from 'node:assert/strict'
import process from 'node:process'
import { connect } from '../src/browser.js'
import { connect as connectByTCP } from '../src/index.js'
import { Server } from './server.js'

const server = await new Server().start()
for (const client of [await connect(`heddle://127.0.0.1:${server.ports.http}`), await connectByTCP(server.url)]) {
  const { thread } = await client.threads.start({ name: 'from Deno' })
  const { text } = await client.turn(thread.id, '!flood 300000').result()
  assert.equal(text.length, 300_000)
  await client.close()
}
await server.stop()
process.exit(0)
