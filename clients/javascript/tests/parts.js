// What tests look at from inside.

export { codec } from '../src/schema.js'
export { idBytes, uuid } from '../src/codec.js'
import { unknownFields } from '../src/codec.js'

/** @param {any} message */
export const unknownFieldsOf = (message) => message[unknownFields] ?? []
