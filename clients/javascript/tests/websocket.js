// The entry for browsers, in Deno, which has a browser's WebSocket.

import assert from 'node:assert/strict'
import process from 'node:process'
import { connect, create } from '../src/browser.js'
import { connect as connectByTCP } from '../src/index.js'
import { Server } from './server.js'

const server = await new Server().start()
for (const client of [await connect(`heddle://127.0.0.1:${server.ports.http}`), await connectByTCP(server.url)]) {
  const { thread } = await client.threads.start({ name: 'from Deno' })
  const { text } = await client.turn(thread.id, '!flood 300000').result()
  assert.equal(text.length, 300_000)
  await client.close()
}

// A proxy that sends each message of the server byte by byte, and cuts the first connection after so many of them.
async function cutting(most) {
  const [host, port] = server.url.replace('heddle://', '').split(':')
  let connections = 0
  const proxy = Deno.serve({ hostname: '127.0.0.1', port: 0, onListen() {} }, (request) => {
    const { socket, response } = Deno.upgradeWebSocket(request, { protocol: 'heddle.v1' })
    let left = ++connections === 1 ? most : Infinity
    socket.binaryType = 'arraybuffer'
    const opened = Deno.connect({ hostname: host, port: Number(port) })
    socket.onmessage = async ({ data }) => (await opened).write(new Uint8Array(data)).catch(() => {})
    socket.onclose = async () => { try { (await opened).close() } catch { /* It was closed. */ } }
    opened.then(async (tcp) => {
      for await (const bytes of tcp.readable) {
        for (const byte of bytes) {
          if (socket.readyState !== WebSocket.OPEN) return
          if (left-- <= 0) return socket.close()
          socket.send(new Uint8Array([byte]))
        }
      }
    }).catch(() => {})
    return response
  })
  const client = create(`heddle://127.0.0.1:${proxy.addr.port}`)
  const { thread } = await client.threads.start({ name: 'cut' })
  const { text } = await client.turn(thread.id, '!chunks 40\nEvery word comes once.').result()
  assert.equal(text, 'You said: Every word comes once.', `cut after ${most} bytes`)
  assert.ok(connections > 1, `the connection was not cut after ${most} bytes`)
  await client.close()
  await proxy.shutdown()
}

for (const most of [0, 1, 15, 16, 17, 100, 300, 400, 500, 700, 1_000]) await cutting(most)
await server.stop()
process.exit(0)
