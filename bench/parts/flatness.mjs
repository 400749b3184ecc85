// What must not grow: cost with the number of waiting instances, with the length of one instance, with time, and when idle.
import { measureEndurance } from './flatness/endurance.mjs'
import { measureIdle } from './flatness/idle.mjs'
import { measureLoop, measureSteps } from './flatness/length.mjs'
import { measureStatistics } from './flatness/statistics.mjs'
import { measureWaiting } from './flatness/waiting.mjs'

export async function run(bench) {
  const { postgres, hasStatements } = await serverThatCounts(bench)
  const side = async (name) => {
    const url = await postgres.createDatabase(name)
    return { engine: await bench.engine('lockstep', { url }, name), session: bench.keep(await postgres.connect(url)) }
  }
  const sides = { empty: await side('empty'), full: await side('full') }
  const dbos = await bench.peer('DBOS', { url: await postgres.createDatabase('dbos') })

  await measureIdle(bench, postgres, { name: 'empty', peer: dbos && 'dbos', hasStatements })
  await measureSteps(bench, sides.empty.engine)
  await measureLoop(bench, sides.empty.engine)
  await measureStatistics(bench, postgres, sides.empty)
  await measureWaiting(bench, postgres, sides)
  if (bench.switches.long) await measureEndurance(bench, postgres, sides.empty.engine)
}

/** With the extension that counts statements, where it is installed. It costs all sides the same. */
async function serverThatCounts(bench) {
  try {
    const postgres = await bench.postgres({ shared_preload_libraries: 'pg_stat_statements' })
    await postgres.query('create extension if not exists pg_stat_statements')
    return { postgres, hasStatements: true }
  } catch (error) {
    bench.say(`without pg_stat_statements: ${error.message.split('\n')[0]}`)
    return { postgres: await bench.postgres(), hasStatements: false }
  }
}
