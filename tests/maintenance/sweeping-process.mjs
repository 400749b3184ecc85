// A node that sweeps, in a process of its own, to be killed. Its archive is a file that only grows; it tells how many batches it has archived.
import { appendFileSync } from 'node:fs'
import { systemClock as clock, silentLogger as logger, systemRandom as random } from '@lockstep/base'
import { Engine } from '@lockstep/engine'
import { openPostgres, postgresEngineStore } from '@lockstep/postgres'

const [url, file, diesAfter] = process.argv.slice(2)
let batches = 0
const die = () => {
  process.kill(process.pid, 'SIGKILL')
  return new Promise(() => {})
}
const archive = async (lines) => {
  let text = ''
  for await (const line of lines) text += line
  appendFileSync(file, text)
  batches += 1
  process.send?.({ batches })
  if (batches === Number(diesAfter)) await die()
}
const db = await openPostgres({ url, clock, random, logger })
const engine = await Engine.open({
  ...{ store: postgresEngineStore(db), clock, random, logger },
  retention: { keep: { completed: 0 }, archive, share: 1, rowsPerBatch: 40, sweep: false },
})
const report = await engine.retention.sweep()
process.send?.({ report })
await engine.close(0)
await db.close()
process.disconnect?.()
