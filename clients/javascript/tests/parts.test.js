// URLs, and the codec on bytes that are none of a message.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { codec, idBytes, unknownFieldsOf, uuid } from './parts.js'
import { parseUrl } from '../src/url.js'

test('URLs', () => {
  const target = parseUrl('heddle://a,b:1,[::1]:2?ca=f&name=n', 7420)
  assert.deepEqual(target.hosts, [{ host: 'a', port: 7420 }, { host: 'b', port: 1 }, { host: '::1', port: 2 }])
  assert.deepEqual([target.tls, target.ca, target.name], [true, 'f', 'n'])
  assert.equal(parseUrl('heddles://h', 1).tls, true)
  for (const [url, word] of [['http://localhost', /begins with heddle/], ['heddle://a:b', /is no host/], ['heddle://a?x=1', /no option/],
    ['heddle://user@a', /token/], ['heddle://a/path', /no path/], ['heddle://a?tls=maybe', /on or off/], ['heddles://a?tls=off', /exclude/],
    ['heddle://', /is no host/], ['heddle://a:70000', /is no host/]]) {
    assert.throws(() => parseUrl(/** @type {string} */ (url), 7420), word)
  }
})

test('ids', () => {
  assert.equal(uuid(idBytes('01a20044-d67b-76b3-817d-21e857a0ab2a')), '01a20044-d67b-76b3-817d-21e857a0ab2a')
  assert.throws(() => idBytes('short'), /is no UUID/)
})

test('a value that is none of its field', () => {
  assert.throws(() => codec.encode('StartTurnRequest', { whenBusy: 'SOMETIMES' }), /SOMETIMES is no WhenBusy/)
  assert.throws(() => codec.encode('ListThreadsRequest', { pageSize: 1.5 }), /needs an integer/)
})

test('bytes that are no message end in an error of their own, whatever they are', () => {
  let random = 1
  const next = () => (random = (random * 48271) % 2147483647)
  let accepted = 0
  for (let round = 0; round < 20_000; round++) {
    const bytes = Uint8Array.from({ length: next() % 24 }, () => next() % 256)
    try {
      codec.decode('SubscriptionEvent', bytes)
      accepted++
    } catch (error) {
      assert.equal(error.kind, 'Protocol')
    }
  }
  assert.ok(accepted > 100)
  // A message in itself, 5,000 times.
  let deep = new Uint8Array()
  for (let depth = 0; depth < 200; depth++) {
    const head = [0x0a]
    for (let length = deep.length; ; length >>= 7) {
      head.push(length > 127 ? (length & 127) | 128 : length)
      if (length <= 127) break
    }
    deep = Uint8Array.from([...head, ...deep])
  }
  assert.doesNotThrow(() => codec.decode('Ping', deep))
  assert.throws(() => codec.decode('Ping', Uint8Array.of(0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f)), { kind: 'Protocol' })
})

test('fields that no table has are kept', () => {
  const bytes = Uint8Array.of(0xc8, 0xbe, 0x08, 0x07)
  const message = codec.decode('Ping', bytes)
  assert.equal(unknownFieldsOf(message).length, 1)
  assert.deepEqual(codec.encode('Ping', message), bytes)
})
