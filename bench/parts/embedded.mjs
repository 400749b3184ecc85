// The embedded store: how long until it answers for the first time, in a new folder and in one that is there already,
// beside PGlite as it comes. Every measurement is a fresh process.
import { fork } from 'node:child_process'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { startMeter } from '../measure/processor.mjs'
import { median } from '../measure/statistics.mjs'

const program = fileURLToPath(new URL('../engines/open-embedded.mjs', import.meta.url))
const LIMIT_MS = 120_000

export async function run(bench) {
  const { opens } = bench.settings
  const took = { lockstep: { first: [], later: [] }, bare: { first: [], later: [] } }
  bench.say(`${opens} first and ${opens} later opens of each store`)
  for (let round = 0; round < opens; round += 1) {
    const hows = round % 2 === 0 ? ['lockstep', 'bare'] : ['bare', 'lockstep']
    const folders = Object.fromEntries(hows.map((how) => [how, path.join(bench.folder(), 'store')]))
    for (const when of ['first', 'later']) {
      for (const how of hows) {
        const meter = startMeter({})
        const measured = await open(how, folders[how])
        bench.round(`${how}, ${when} open`, { round, ...measured, ...meter.stop() })
        took[how][when].push(measured.tookMs)
      }
    }
  }
  const figure = (when, against, most) => {
    const value = median(took.lockstep[when])
    const bare = median(took.bare[when])
    const note = `bare ${Math.round(bare)} ms`
    bench.figure({
      what: `${when} open`,
      value,
      unit: 'ms',
      ratio: value / bare,
      against,
      target: { of: 'ratio', most },
      note,
    })
  }
  figure('first', 'bare PGlite, initdb', 0.5)
  figure('later', 'bare PGlite, same', 1.5)
}

function open(how, folder) {
  const child = fork(program, [how, folder], { stdio: ['ignore', 'ignore', 'pipe', 'ipc'] })
  let output = ''
  child.stderr.on('data', (chunk) => {
    output += chunk
  })
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS)
    let measured
    child.once('message', (message) => {
      measured = message
    })
    child.once('exit', (code, signal) => {
      clearTimeout(late)
      if (code === 0 && measured !== undefined) resolve(measured)
      else reject(new Error(`opening the ${how} store ended with ${code ?? signal}: ${output.trim()}`))
    })
  })
}
