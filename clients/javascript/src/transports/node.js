// TCP and TLS, in Node and in Deno.

import { readFileSync } from 'node:fs'
import * as net from 'node:net'
import * as tls from 'node:tls'

/**
 * @typedef {import('../url.js').Target} Target
 * @typedef {import('../connection.js').Transport} Transport
 */

/** The port if none is named. */
export const defaultPort = 7420

/**
 * @param {Target} target
 * @param {{ host: string, port: number }} place
 * @returns {Transport}
 */
export function open(target, { host, port }) {
  /** @type {net.Socket} */
  const socket = target.tls ? tls.connect({ host, port, ...security(target, host) }) : net.connect({ host, port })
  socket.setNoDelay(true)
  return {
    listen(receiver) {
      socket.on(target.tls ? 'secureConnect' : 'connect', () => receiver.opened())
      socket.on('data', (/** @type {Uint8Array} */ data) => receiver.data(data))
      socket.on('error', (error) => receiver.ended(error.message))
      socket.on('end', () => receiver.ended('the server closed the connection'))
      socket.on('close', () => receiver.ended('the connection ended'))
    },
    write(data) { socket.write(data) },
    close() { socket.end() },
    abort() { socket.destroy() },
  }
}

/**
 * Files are read at each new connection, so that renewed certificates count.
 * @param {Target} target
 * @param {string} host
 */
function security(target, host) {
  const name = target.name || host
  return {
    ca: target.ca ? readFileSync(target.ca) : undefined,
    cert: target.cert ? readFileSync(target.cert) : undefined,
    key: target.cert ? readFileSync(target.key || target.cert) : undefined,
    servername: net.isIP(name) ? undefined : name,
    checkServerIdentity: (/** @type {string} */ _, /** @type {any} */ certificate) => tls.checkServerIdentity(name, certificate),
    minVersion: /** @type {const} */ ('TLSv1.2'),
    ALPNProtocols: ['heddle/1'],
  }
}
