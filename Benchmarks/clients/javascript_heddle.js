// The JavaScript client on Node: see README.md.
import { connect } from '../../clients/javascript/src/index.js'

const [kind, address, thread, ...numbers] = process.argv.slice(2)
const client = await connect(`heddle://${address}`)
let memory = process.memoryUsage.rss()
let cpu = process.cpuUsage()
let since = performance.now()

function begin() {
  memory = process.memoryUsage.rss()
  cpu = process.cpuUsage()
  since = performance.now()
}

async function calls(depth, count) {
  const many = async (number) => {
    for (let done = 0; done < number; done++) await client.settings.read({ thread })
  }
  const all = (number) => Promise.all(Array.from({ length: depth }, () => many(Math.floor(number / depth))))
  await all(count / 10)
  begin()
  await all(count)
}

async function events(count) {
  begin()
  let taken = 0
  for await (const message of client.subscribe(thread, { after: 0 })) {
    if (message.event) taken++
    if (taken === count / 10) memory = process.memoryUsage.rss()
    if (taken === count) break
  }
}

await { calls, events }[kind](...numbers.map(Number))
const used = process.cpuUsage(cpu)
const seconds = (performance.now() - since) / 1000
const grown = Math.round((process.memoryUsage.rss() - memory) / 1024)
console.log(JSON.stringify({ cpu: (used.user + used.system) / 1e6, seconds, memory: grown }))
await client.close()
