// Three orders: one is shipped, one fails and is undone by two processes' worth of nodes, one is cancelled.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { lockstep, workflow } from 'lockstep'

/** The world outside: each change is made once per idempotency key, as a payment service does it. */
const shop = { done: [], seen: new Set() }
function change(text, key) {
  if (shop.seen.has(key)) return
  shop.seen.add(key)
  shop.done.push(text)
  console.log(`  ${text}`)
}

/** Holds the first refund until another node has taken over. */
let takenOver
const handOver = new Promise((resolve) => {
  takenOver = resolve
})
let refunding
const refundBegun = new Promise((resolve) => {
  refunding = resolve
})

const order = workflow('order', async (ctx, { name, truck }) => {
  await ctx.step('reserve', ({ idempotencyKey }) => change(`${name}: reserved`, idempotencyKey), {
    compensate: (_, { idempotencyKey }) => change(`${name}: reservation given up`, idempotencyKey),
  })
  await ctx.step('charge', ({ idempotencyKey }) => change(`${name}: charged`, idempotencyKey), {
    compensate: async (_, { idempotencyKey, signal }) => {
      refunding()
      if (truck === 'none') await handOver
      signal.throwIfAborted()
      change(`${name}: refunded`, idempotencyKey)
    },
  })
  if (truck === 'late') await ctx.waitFor('truck')
  await ctx.step('ship', ({ idempotencyKey }) => {
    if (truck === 'none') throw new Error('no truck')
    change(`${name}: shipped`, idempotencyKey)
  })
})

const dataDir = await mkdtemp(join(tmpdir(), 'order-saga-'))
const open = () => lockstep({ dataDir, drainMs: 200, workflows: [order] })
let node = await open()

console.log('An order that goes through:')
await (await node.start(order, { name: 'Ann', truck: 'here' })).result()

console.log('An order without a truck, whose node is replaced in the middle of the refund:')
const failing = await node.start(order, { name: 'Bob', truck: 'none' })
await refundBegun
console.log(`  … ${(await node.engine.get(failing.id)).status}`)
await node.close()
takenOver()
node = await open()
const failure = await node
  .run(failing.id)
  .result()
  .catch((error) => error.message)
console.log(`  ${failure}`)

console.log('An order that is cancelled while it waits:')
const waiting = await node.start(order, { name: 'Cleo', truck: 'late' })
while ((await node.engine.get(waiting.id)).status !== 'suspended')
  await new Promise((resolve) => setTimeout(resolve, 20))
await waiting.cancel('changed my mind')
await waiting.result().catch(() => undefined)
for (const { step, state } of await node.engine.compensations(waiting.id)) console.log(`  "${step}" is ${state}`)

await node.close()
await rm(dataDir, { recursive: true, force: true })

const expected = [
  ...['Ann: reserved', 'Ann: charged', 'Ann: shipped'],
  ...['Bob: reserved', 'Bob: charged', 'Bob: refunded', 'Bob: reservation given up'],
  ...['Cleo: reserved', 'Cleo: charged', 'Cleo: refunded', 'Cleo: reservation given up'],
]
if (shop.done.join() !== expected.join()) {
  console.error('Not as it should be')
  process.exitCode = 1
}
