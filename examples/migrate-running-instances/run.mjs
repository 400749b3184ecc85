// Orders that wait for their payment while a new version of their workflow is published: a dry run, a mapping, and all of them go over.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { lockstep } from 'lockstep'

const wait = (id, event) => ({ id, type: 'wait-for-event', inputs: { event } })
const say = (id, text) => ({ id, type: 'set-output', inputs: { name: 'text', value: { $expr: text } } })
const chain = (activities) => activities.slice(1).map((each, n) => ({ from: activities[n].id, to: each.id }))
const document = (activities, variables = {}) => ({
  id: 'order',
  variables,
  activities,
  connections: chain(activities),
})

/** Version 1 asks for the payment and is done. Version 2 calls that step by another name, and thanks in a language of its own. */
const first = document([wait('pay', 'paid'), say('thanks', '"Thank you, " + input.name')])
const second = document(
  [
    wait('payment', 'paid'),
    { id: 'points', type: 'set-variable', inputs: { name: 'points', value: { $expr: 'vars.points + 10' } } },
    say('thanks', 'input.name + " has " + vars.points + " points"'),
  ],
  { points: { type: 'number', default: 5 } },
)

const dataDir = await mkdtemp(join(tmpdir(), 'migrate-'))
const node = await lockstep({ dataDir, drainMs: 200 })
const { definitions, verbs, bulk } = node.engine
const until = async (isSo) => {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 20))
}

await definitions.create('default', first)
await definitions.publish('default', 'order')
const orders = []
for (const name of ['Ann', 'Bob', 'Cleo'])
  orders.push(await node.engine.start({ definitionId: 'order', input: { name }, correlationId: name }))
for (const { instanceId } of orders) await until(async () => (await node.engine.get(instanceId)).status === 'suspended')
console.log('Three orders wait in version 1.')

await definitions.saveDraft('default', 'order', second)
await definitions.publish('default', 'order')
const plan = { definitionId: 'order', from: 1, to: 2 }
const without = await verbs.forecastMigration(plan)
console.log(`Without a mapping: ${without.possible} can go over, ${without.impossible} cannot.`)
console.log(`  ${without.examples[0].problems[0].text}`)
const mapping = { pay: 'payment' }
const forecast = await verbs.forecastMigration({ ...plan, mapping })
console.log(`With one: ${forecast.possible} can go over, ${forecast.impossible} cannot.`)

const options = { version: 2, mapping }
const { id } = await bulk.start({ verb: 'migrate', filter: { definitionId: 'order', version: 1 }, options })
await until(async () => (await bulk.get(id)).state === 'done')
console.log('Outcomes:', JSON.stringify((await bulk.get(id)).outcomes))
for (const { instanceId } of orders) await until(async () => (await node.engine.get(instanceId)).version === 2)

for (const { instanceId } of orders) {
  const { correlationId } = await node.engine.get(instanceId)
  await node.engine.publish({ name: 'paid', correlationId })
  const { output } = await node.engine.waitForEnd(instanceId)
  console.log(`  ${output.text}`)
}
const journal = await node.engine.journal(orders[0].instanceId)
console.log(`The journal of the first: ${journal.map((row) => row.kind).join(', ')}`)

await node.close()
await rm(dataDir, { recursive: true, force: true })
