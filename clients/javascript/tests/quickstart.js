// Runs the first block of a README with the package in a folder of its own: quickstart.js FOLDER README

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { Server } from './server.js'

const [folder, readme] = process.argv.slice(2)
const [, block] = /```js\n(.*?)```/s.exec(readFileSync(readme, 'utf8')) ?? []
assert.ok(block.split('\n').filter((line) => line.trim()).length <= 15, 'a quickstart has 15 lines at most')
const server = await new Server().start()
const program = block.replace('heddle://127.0.0.1', server.url)
writeFileSync(join(folder, 'quickstart.mjs'), program)
assert.equal(execFileSync('node', ['quickstart.mjs'], { cwd: folder, encoding: 'utf8' }), 'You said: Hello')
// The same by its types.
writeFileSync(join(folder, 'typed.ts'), `declare const process: { stdout: { write(text: string): void } }
${program}
const event: import('@heddle/client').Subscription | undefined = undefined
const name: string = (await client.threads.read({ thread: thread.id })).thread.name
// @ts-expect-error: there is no such field
client.threads.start({ nome: 'x' })
export { event, name }
`)
await server.stop()
