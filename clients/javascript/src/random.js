// Random bytes. Node 18 has no global `crypto` yet.

const source = globalThis.crypto ?? (await import('node:crypto')).webcrypto

/** @param {number} count */
export const randomBytes = (count) => source.getRandomValues(new Uint8Array(count))
