import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chargesOf } from './bank.mjs'
import { openNode } from './node.mjs'

const folder = mkdtempSync(join(tmpdir(), 'payment-'))
const books = join(folder, 'books.txt')
writeFileSync(books, '')

let server
let databaseUrl = process.env.DATABASE_URL
if (databaseUrl === undefined) {
  const { startPostgres } = await import('@lockstep/testing/harness')
  server = await startPostgres({ quiet: true })
  databaseUrl = server.url
}

const program = fileURLToPath(new URL('./node.mjs', import.meta.url))
for (const [order, dies] of [
  ['order-1', 'after'],
  ['order-2', 'before'],
]) {
  const child = fork(program, [JSON.stringify({ databaseUrl, books, dies, order })])
  const [, signal] = await once(child, 'exit')
  console.log(`${order}: the node died (${signal}) ${dies} it reached the bank`)
}

const node = await openNode(databaseUrl, books)
const { incidents } = node.engine
const open = async () => (await incidents.list({ code: 'OUTCOME_UNKNOWN', state: 'open' })).incidents
while ((await open()).length < 2) await new Promise((next) => setTimeout(next, 50))
console.log('another node took over and charged nobody: two incidents wait for a person')

// The person looks into the books.
for (const { id, instanceId } of await open()) {
  const [started] = await node.engine.journal(instanceId, 0, 1)
  const { order } = started.data.input
  const booked = chargesOf(books, order) > 0
  const outcome = booked ? { outcome: 'completed', output: { receipt: `found in the books` } } : { outcome: 'retry' }
  await incidents.resolve(id, { ...outcome, note: booked ? 'it was booked' : 'it was not booked' })
  const end = await node.engine.waitForEnd(instanceId, { limitMs: 30_000 })
  console.log(
    `${order}: ${booked ? 'booked, so completed' : 'not booked, so tried again'}: ${end?.status}, "${end?.output}"`,
  )
}

const charges = ['order-1', 'order-2'].map((order) => chargesOf(books, order))
console.log(`charges per order: ${charges.join(', ')}`)
await node.close()
await server?.stop()
rmSync(folder, { recursive: true, force: true })
process.exitCode = charges.every((count) => count === 1) ? 0 : 1
