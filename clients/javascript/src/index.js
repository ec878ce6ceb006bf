// The entry of the package in Node and Deno: frames over TCP or TLS.

import { Client } from './client.js'
import * as transport from './transports/node.js'
import { parseUrl } from './url.js'

export * from './common.js'

/**
 * A client that is connected.
 * @param {string} [url] `heddle://host:port,host2?tls=on&ca=FILE&cert=FILE&key=FILE&name=NAME`; else HEDDLE_URL, else this machine
 * @param {Partial<import('./client.js').Settings>} [settings] `token` wins over HEDDLE_TOKEN
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
  const given = url || process.env.HEDDLE_URL || 'heddle://127.0.0.1'
  const token = settings.token ?? process.env.HEDDLE_TOKEN
  return new Client(parseUrl(given, transport.defaultPort), transport, { ...settings, token })
}
