// The codec of Heddle's own messages.

import { Codec } from './codec.js'
import * as tables from './generated/tables.js'

export const codec = new Codec(tables)
