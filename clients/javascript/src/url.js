// Where to connect: `heddle://host[:port][,host…]?tls=on&ca=file&cert=file&key=file&name=host`.

/**
 * @typedef {object} Target
 * @property {{ host: string, port: number }[]} hosts tried in this order
 * @property {boolean} tls
 * @property {string} [ca]
 * @property {string} [cert]
 * @property {string} [key]
 * @property {string} [name]
 */

const OPTIONS = ['ca', 'cert', 'key', 'name']

/**
 * @param {string} text
 * @param {number} defaultPort
 * @returns {Target}
 */
export function parseUrl(text, defaultPort) {
  const [, scheme, rest] = /^(\w+):\/\/(.*)$/s.exec(text) ?? []
  if (scheme !== 'heddle' && scheme !== 'heddles') {
    throw new TypeError(`a URL of Heddle begins with heddle:// or heddles://, not as in ${text.slice(0, 40)}`)
  }
  const [places, query = ''] = rest.split(/\?(.*)/s)
  const [names, path = ''] = places.split(/\/(.*)/s)
  if (path || names.includes('@')) {
    throw new TypeError('a URL of Heddle has no path and no user: pass the token as an option or HEDDLE_TOKEN')
  }
  /** @type {Record<string, string>} */
  const given = Object.fromEntries(new URLSearchParams(query))
  const { tls, ...more } = given
  for (const name of Object.keys(more)) {
    if (!OPTIONS.includes(name)) throw new TypeError(`${name} is no option of a URL of Heddle: use tls, ${OPTIONS.join(', ')}`)
  }
  const isImplied = scheme === 'heddles' || Object.keys(more).length > 0
  if (tls !== undefined && tls !== 'on' && tls !== 'off') throw new TypeError(`tls is on or off, not ${tls}`)
  if (tls === 'off' && isImplied) throw new TypeError('tls=off and what belongs to TLS exclude each other')
  return { hosts: names.split(',').map((name) => host(name, defaultPort)), tls: isImplied || tls === 'on', ...more }
}

/**
 * @param {string} text
 * @param {number} defaultPort
 */
function host(text, defaultPort) {
  const found = /^(?:\[([0-9a-f:.]+)\]|([^:[\]]+))(?::(\d{1,5}))?$/i.exec(text)
  const port = found?.[3] === undefined ? defaultPort : Number(found[3])
  if (!found || port < 1 || port > 65535) throw new TypeError(`'${text.slice(0, 40)}' is no host, host:port or [address]:port`)
  return { host: found[1] ?? found[2], port }
}
