// Frames in a WebSocket, for browsers: /frames on the HTTP door.

/**
 * @typedef {import('../url.js').Target} Target
 * @typedef {import('../connection.js').Transport} Transport
 */

/** The port if none is named. */
export const defaultPort = 7422
/** The server takes messages of any length, and other gateways may not. */
const MESSAGE_BYTES = 64 * 1024

/**
 * @param {Target} target
 * @param {{ host: string, port: number }} place
 * @returns {Transport}
 */
export function open(target, { host, port }) {
  const name = host.includes(':') ? `[${host}]` : host
  const socket = new WebSocket(`${target.tls ? 'wss' : 'ws'}://${name}:${port}/frames`, 'heddle.v1')
  socket.binaryType = 'arraybuffer'
  return {
    listen(receiver) {
      socket.onopen = () => receiver.opened()
      socket.onmessage = (message) => {
        if (typeof message.data === 'string') receiver.ended('the server sent text')
        else receiver.data(new Uint8Array(message.data))
      }
      socket.onerror = () => receiver.ended('the WebSocket failed')
      socket.onclose = (event) => receiver.ended(`the WebSocket was closed with ${event.code}`)
    },
    write(data) {
      for (let at = 0; at < data.length; at += MESSAGE_BYTES) socket.send(data.subarray(at, at + MESSAGE_BYTES))
    },
    close() { socket.close() },
    abort() { socket.close() },
  }
}
