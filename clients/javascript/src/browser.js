// The entry of the package in a browser: frames by WebSocket, from the HTTP door.

import { Client } from './client.js'
import * as transport from './transports/websocket.js'
import { parseUrl } from './url.js'

export * from './common.js'

/**
 * A client that is connected.
 * @param {string} [url] `heddle://host:port` or `heddles://host:port` of the HTTP door; else the page's own server
 * @param {Partial<import('./client.js').Settings>} [settings]
 */
export async function connect(url, settings = {}) {
  const client = create(url, settings)
  try {
    await client.connection()
    return client
  } catch (error) {
    await client.close()
    throw error
  }
}

/**
 * A client that connects with its first call.
 * @param {string} [url]
 * @param {Partial<import('./client.js').Settings>} [settings]
 */
export function create(url, settings = {}) {
  const target = parseUrl(url || here(), transport.defaultPort)
  if (target.ca || target.cert || target.key || target.name) throw new TypeError("in a browser TLS is the browser's own")
  return new Client(target, transport, settings)
}

function here() {
  const { protocol, hostname, port } = globalThis.location
  return `${protocol === 'https:' ? 'heddles' : 'heddle'}://${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`
}
