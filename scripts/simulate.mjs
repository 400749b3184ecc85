// `npm run simulate -- --seeds N [--first M]`: as many simulated clusters as you like. A failing seed is printed with the way to replay it.
import { spawn } from 'node:child_process'
import path from 'node:path'
import { fail, root } from './bootstrap/say.mjs'

const given = process.argv.slice(2)
const value = (name, fallback) => {
  const at = given.indexOf(name)
  if (at < 0) return fallback
  if (!/^\d+$/.test(given[at + 1] ?? '')) fail(`${name} must be followed by a whole number`)
  return given[at + 1]
}
const environment = {
  ...process.env,
  LOCKSTEP_SIMULATION_SEEDS: value('--seeds', '5000'),
  LOCKSTEP_SIMULATION_FIRST_SEED: value('--first', '1'),
}
const vitest = path.join(root, 'node_modules', 'vitest', 'vitest.mjs')
spawn(process.execPath, [vitest, 'run', '--project', 'servers', 'tests/simulation', '--testTimeout', '86400000'], {
  cwd: root,
  env: environment,
  stdio: 'inherit',
}).on('exit', (code) => process.exit(code ?? 1))
