// `npm run bench`: measures Lockstep beside its peers and beside bare limits, in one run on one machine, and prints ratios.
import { say, seconds } from '../scripts/bootstrap/say.mjs'
import { openBench } from './bench.mjs'
import { openReport } from './report/report.mjs'
import { readArguments } from './settings.mjs'

/** In the order in which they run. */
const partNames = [
  'three-step',
  'latency',
  'timers',
  'schedules',
  'flatness',
  'for-each',
  'bulk',
  'fair-claim',
  'retention',
  'cached-read',
  'cluster',
  'rest',
  'embedded',
  'locks',
  'tracing',
]

const { parts, switches, settings } = arguments_()
if (switches.help) {
  console.log(
    `npm run bench -- [${partNames.join('|')}]… [--long] [--tiny] [--no-peers] [--strict] [--<setting>=<number>]…`,
  )
  console.log(
    `settings: ${Object.entries(settings)
      .map(([name, value]) => `${name} ${value}`)
      .join(', ')}; see bench/README.md`,
  )
  process.exit(0)
}

const startedAt = new Date()
const report = openReport(startedAt, { ...settings, ...switches })
let current
let stopping = false
process.once('SIGINT', stop).once('SIGTERM', stop)

for (const name of parts.length > 0 ? parts : partNames) {
  if (stopping) break
  const from = Date.now()
  say(`bench: ${name}`)
  current = openBench({ part: name, settings, switches, report })
  try {
    const { run } = await import(`./parts/${name}.mjs`)
    await run(current)
  } catch (error) {
    if (stopping) break
    report.failure(name, 'the rest of the part', error)
    say(`bench: ${name} failed: ${error.stack}`)
  }
  await current.close()
  say(`bench: ${name} took ${seconds(from)}`)
}
if (!stopping) {
  console.log(report.summary())
  say(`bench: all of it took ${seconds(startedAt.getTime())}`)
  process.exit(switches.strict && !report.ok ? 1 : 0)
}

function arguments_() {
  try {
    return readArguments(process.argv.slice(2), partNames)
  } catch (error) {
    say(`bench: ${error.message}`)
    process.exit(2)
  }
}

/** What was measured so far is in the file; servers and children must not stay behind. */
async function stop(signal) {
  stopping = true
  say(`bench: ${signal}, stopping`)
  await current?.close()
  console.log(report.summary())
  process.exit(130)
}
