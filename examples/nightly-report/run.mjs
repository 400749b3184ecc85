// A good night, a bad one, and three that were missed. See README.md.
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { lockstep } from 'lockstep'
import { nightlyJobs } from './jobs.mjs'

const folder = await mkdtemp(join(tmpdir(), 'nightly-report-'))
const databaseUrl = process.env.DATABASE_URL
const store = databaseUrl === undefined ? { dataDir: join(folder, 'store') } : { databaseUrl }
const said = []
const world = {
  warehouseAnswers: true,
  say(text) {
    said.push(text)
    console.log(`  ${text}`)
  },
}
const node = await lockstep({ ...store, jobs: nightlyJobs(folder, world) })
const { schedules, jobs } = node.engine
try {
  console.log('A night on which all goes well:')
  for (const name of ['collect-sales', 'collect-stock']) console.log(`  ${name}: ${await tonight(name)}`)
  await until(() => said.length === 1)

  console.log('A night on which the warehouse does not answer:')
  world.warehouseAnswers = false
  for (const name of ['collect-sales', 'collect-stock']) console.log(`  ${name}: ${await tonight(name)}`)
  await until(() => said.length === 2)

  // In the night of 30 March 2025 the clocks of Berlin went from 2:00 to 3:00: there was no 2:30.
  const nights = { from: '2025-03-29T00:00:00Z', to: '2025-04-01T00:00:00Z' }
  console.log('Three nights that were missed:')
  for (const { wall, nominal } of await schedules.preview('collect-sales', { from: nights.from, count: 3 }))
    console.log(`  ${wall}${nominal === undefined ? '' : `, because there is no ${nominal}`}`)
  const filled = await schedules.backfill('collect-sales', nights)
  await until(async () => (await files()).length === 3)
  console.log(`  ${filled.started + filled.queued} runs wrote ${(await files()).join(', ')}`)
  const again = await schedules.backfill('collect-sales', nights)
  console.log(`  asked once more: ${again.started + again.queued} to do, ${again.existing} were there`)
  process.exitCode = again.existing === 3 && said.join() === 'the report is written,somebody is woken' ? 0 : 1
} finally {
  await node.close()
  await rm(folder, { recursive: true, force: true })
}

/** What the clock does at half past two. Settles when the run has ended. */
async function tonight(name) {
  const { instanceId } = await jobs.run(name)
  const { status, error } = await node.engine.waitForEnd(instanceId)
  return error === undefined ? status : error.message
}

async function files() {
  return (await readdir(folder)).filter((name) => name.startsWith('sales-2025')).sort()
}

async function until(look) {
  while (!(await look())) await new Promise((resolve) => setTimeout(resolve, 20))
}
