// What every entry of the package exports.

export { Client } from './client.js'
export { codec } from './schema.js'
export { idBytes, uuid } from './codec.js'
export { HeddleError } from './errors.js'
export { Reason } from './generated/errors.js'
export { SCHEMA_HASH } from './generated/methods.js'
export { Subscription } from './subscription.js'
export { Turn } from './turn.js'
