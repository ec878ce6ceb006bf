// A server with the scripted model, for tests. Node and Deno have these modules.

import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'

const BINARY = process.env.HEDDLE_BIN ?? new URL('../../../.build/release/heddle', import.meta.url).pathname

export class Server {
  folder = mkdtempSync(join(tmpdir(), 'heddle-'))
  ports = { listen: 0, http: 0 }

  async start() {
    const { listen, http } = this.ports
    this.process = spawn(BINARY, ['serve', '--data', join(this.folder, 'data'), '--listen', `127.0.0.1:${listen}`, '--grpc', 'off',
      '--http', `127.0.0.1:${http}`], { stdio: ['ignore', 'pipe', 'ignore'] })
    let text = ''
    for await (const piece of this.process.stdout) {
      text += piece
      if (text.includes('\n')) break
    }
    const ready = JSON.parse(text.split('\n')[0])
    this.ports = { listen: Number(ready.listen.split(':').at(-1)), http: Number(ready.http.split(':').at(-1)) }
    return this
  }

  get url() { return `heddle://127.0.0.1:${this.ports.listen}` }

  async kill() {
    const ended = new Promise((resolve) => this.process.on('exit', resolve))
    this.process.kill('SIGKILL')
    await ended
  }

  async stop() {
    await this.kill()
    rmSync(this.folder, { recursive: true })
  }
}
