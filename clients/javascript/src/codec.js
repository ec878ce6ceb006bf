// Protobuf's wire format over tables: bytes in, objects out, and back. Fields that no table has are kept.
//
// Numbers of 64 bits are `number` where the schema says that they fit (times, counts), else `bigint`. An enum is the name of
// its value, or the number of one that this client does not know.

import { ProtocolError } from './errors.js'
import { FIXED_32, FIXED_64, LENGTH, Reader, VARINT, Writer } from './wire.js'

/**
 * number, name, kind, flags, type of an enum or message, name of the `oneof`
 * @typedef {[number, string, number, number, string?, string?]} Field
 * @typedef {{ messages: Record<string, Field[]>, enums: Record<string, Record<string, number>> }} Tables
 */

const [INT, UINT, BOOL, ENUM, DOUBLE, FLOAT, STRING, BYTES, MESSAGE, BIG, SIGNED_BIG] = Array(11).keys()
const REPEATED = 1
const OPTIONAL = 2
const DEEPEST = 100
/** The bytes of fields that no table has. */
export const unknownFields = Symbol('unknown fields')

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { fatal: true })

/** @type {any[]} */
const DEFAULTS = [0, 0, false, 0, 0, 0, '', new Uint8Array(), undefined, 0n, 0n]

/** The codec of one schema. */
export class Codec {
  /** @type {Map<string, Map<number, Field>>} */
  #byNumber = new Map()
  /** @type {Map<string, Map<number, string>>} */
  #names = new Map()
  /** @type {Tables} */
  #tables

  /** @param {Tables} tables */
  constructor(tables) {
    this.#tables = tables
    for (const [name, fields] of Object.entries(tables.messages)) {
      this.#byNumber.set(name, new Map(fields.map((field) => [field[0], field])))
    }
    for (const [name, values] of Object.entries(tables.enums)) {
      this.#names.set(name, new Map(Object.entries(values).map(([value, number]) => [number, value])))
    }
  }

  /**
   * @param {string} type
   * @param {any} message
   * @returns {Uint8Array}
   */
  encode(type, message) {
    const out = new Writer()
    this.#write(out, type, message)
    return out.take()
  }

  /**
   * @param {Writer} out
   * @param {string} type
   * @param {any} message
   */
  #write(out, type, message) {
    const fields = this.#tables.messages[type]
    if (!fields) throw new TypeError(`there is no message ${type}`)
    for (const field of fields) {
      const [, name, kind, flags, , one] = field
      const value = message[name]
      if (value === undefined || value === null) continue
      if (flags & REPEATED) this.#writeAll(out, field, value)
      else if (flags & OPTIONAL || one || kind === MESSAGE || !this.#isDefault(field, value)) this.#writeOne(out, field, value)
    }
    for (const bytes of message[unknownFields] ?? []) out.raw(bytes)
  }

  /**
   * @param {Field} field
   * @param {any} value
   */
  #isDefault([, , kind, , type], value) {
    if (kind === BYTES) return value.length === 0
    if (kind === ENUM) return this.#enumNumber(type ?? '', value) === 0
    return value === DEFAULTS[kind] || value === 0
  }

  /**
   * @param {Writer} out
   * @param {Field} field
   * @param {any[]} values
   */
  #writeAll(out, field, values) {
    const [number, name, kind] = field
    if (typeof values[Symbol.iterator] !== 'function') throw new TypeError(`${name} needs a list`)
    if (kind === STRING || kind === BYTES || kind === MESSAGE) {
      for (const value of values) this.#writeOne(out, field, value)
    } else if (values.length > 0) {
      const packed = new Writer()
      for (const value of values) this.#writeValue(packed, field, value)
      out.varint(number * 8 + LENGTH)
      out.varint(packed.length)
      out.raw(packed.take())
    }
  }

  /**
   * @param {Writer} out
   * @param {Field} field
   * @param {any} value
   */
  #writeOne(out, field, value) {
    const [number, , kind] = field
    const wire = kind >= STRING && kind <= MESSAGE ? LENGTH : kind === DOUBLE ? FIXED_64 : kind === FLOAT ? FIXED_32 : VARINT
    out.varint(number * 8 + wire)
    this.#writeValue(out, field, value)
  }

  /**
   * @param {Writer} out
   * @param {Field} field
   * @param {any} value
   */
  #writeValue(out, [, name, kind, , type], value) {
    switch (kind) {
      case INT: case UINT:
        if (!Number.isInteger(value)) throw new TypeError(`${name} needs an integer, not ${value}`)
        return value < 0 ? out.big(BigInt(value)) : out.varint(value)
      case BOOL: return out.varint(value ? 1 : 0)
      case ENUM: {
        const number = this.#enumNumber(type ?? '', value)
        return number < 0 ? out.big(BigInt(number)) : out.varint(number)
      }
      case DOUBLE: case FLOAT: {
        const bytes = new Uint8Array(kind === DOUBLE ? 8 : 4)
        const view = new DataView(bytes.buffer)
        if (kind === DOUBLE) view.setFloat64(0, value, true)
        else view.setFloat32(0, value, true)
        return out.raw(bytes)
      }
      case BIG: case SIGNED_BIG: return out.big(BigInt(value))
      default: {
        const bytes = kind === STRING ? encoder.encode(value) : kind === BYTES ? idBytes(value) : this.encode(type ?? '', value)
        out.varint(bytes.length)
        return out.raw(bytes)
      }
    }
  }

  /**
   * @param {string} type
   * @param {string | number} value
   */
  #enumNumber(type, value) {
    if (typeof value === 'number') return value
    const number = this.#tables.enums[type]?.[value]
    if (number === undefined) throw new TypeError(`${value} is no ${type}: ${Object.keys(this.#tables.enums[type] ?? {})}`)
    return number
  }

  /**
   * @param {string} type
   * @param {Uint8Array} bytes
   * @returns {any}
   */
  decode(type, bytes) {
    const reader = new Reader(bytes)
    try {
      return this.#read(reader, type, bytes.length, 0)
    } catch (error) {
      if (error instanceof ProtocolError) throw error
      throw new ProtocolError(`${type} cannot be read: ${error instanceof Error ? error.message : error}`)
    }
  }

  /**
   * @param {Reader} reader
   * @param {string} type
   * @param {number} end
   * @param {number} depth
   * @param {any} into
   */
  #read(reader, type, end, depth, into = undefined) {
    if (depth > DEEPEST) throw new ProtocolError(`${type} is nested too deeply`)
    const message = into ?? this.empty(type)
    const known = this.#byNumber.get(type)
    while (reader.at < end) {
      const start = reader.at
      const tag = reader.varint()
      const field = known?.get(Math.floor(tag / 8))
      const wire = tag % 8
      if (!field || !this.#take(reader, message, field, wire, depth)) {
        reader.skip(wire)
        const unknown = message[unknownFields] ?? (message[unknownFields] = [])
        unknown.push(reader.bytes.slice(start, reader.at))
      }
    }
    if (reader.at !== end) throw new ProtocolError(`${type} ends in the middle of a field`)
    return message
  }

  /**
   * A message with nothing set.
   * @param {string} type
   */
  empty(type) {
    /** @type {any} */
    const message = {}
    for (const [, name, kind, flags, of, one] of this.#tables.messages[type] ?? []) {
      if (flags & REPEATED) message[name] = []
      else if (!(flags & OPTIONAL) && !one && kind !== MESSAGE) {
        message[name] = kind === ENUM ? this.#enumName(of ?? '', 0) : DEFAULTS[kind]
      }
    }
    return message
  }

  /**
   * @param {string} type
   * @param {number} number
   */
  #enumName(type, number) { return this.#names.get(type)?.get(number) ?? number }

  /**
   * False: the wire type is not the field's.
   * @param {Reader} reader
   * @param {any} message
   * @param {Field} field
   * @param {number} wire
   * @param {number} depth
   */
  #take(reader, message, field, wire, depth) {
    const [, name, kind, flags, type, one] = field
    const own = kind >= STRING && kind <= MESSAGE ? LENGTH : kind === DOUBLE ? FIXED_64 : kind === FLOAT ? FIXED_32 : VARINT
    if (flags & REPEATED && wire === LENGTH && own !== LENGTH) {
      const end = reader.end()
      while (reader.at < end) message[name].push(this.#value(reader, field, depth))
      return true
    }
    if (wire !== own) return false
    if (flags & REPEATED) {
      message[name].push(this.#value(reader, field, depth))
    } else {
      if (one && message[one] !== undefined && message[one] !== name) delete message[message[one]]
      // A message that comes twice is put together.
      if (kind === MESSAGE && message[name] !== undefined) this.#read(reader, type ?? '', reader.end(), depth + 1, message[name])
      else message[name] = this.#value(reader, field, depth)
      if (one) message[one] = name
    }
    return true
  }

  /**
   * @param {Reader} reader
   * @param {Field} field
   * @param {number} depth
   */
  #value(reader, [, , kind, , type], depth) {
    switch (kind) {
      case INT: return reader.signed()
      case UINT: return reader.varint()
      case BOOL: return reader.big() !== 0n
      case ENUM: return this.#enumName(type ?? '', reader.signed())
      case DOUBLE: return reader.float(8)
      case FLOAT: return reader.float(4)
      case STRING: return decoder.decode(reader.block())
      case BYTES: return reader.block().slice()
      case BIG: return reader.big()
      case SIGNED_BIG: return BigInt.asIntN(64, reader.big())
      default: return this.#read(reader, type ?? '', reader.end(), depth + 1)
    }
  }
}

/**
 * The 16 bytes of an id that may be a UUID.
 * @param {Uint8Array | string} id
 * @returns {Uint8Array}
 */
export function idBytes(id) {
  if (typeof id !== 'string') return id
  const digits = id.replaceAll('-', '')
  if (!/^[0-9a-f]{32}$/i.test(digits)) throw new TypeError(`${id.slice(0, 60)} is no UUID`)
  return Uint8Array.from(digits.match(/../g) ?? [], (pair) => parseInt(pair, 16))
}

/**
 * The UUID that 16 bytes are.
 * @param {Uint8Array} bytes
 */
export function uuid(bytes) {
  const digits = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
