// `node scripts/cluster-campaign.mjs [checklist] [matrix]`: the tests of the cluster with their full counts, one after the other. Figures are printed as they come.
import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { fail, root } from './bootstrap/say.mjs'

const campaigns = {
  checklist: { file: 'tests/cluster/checklist.test.ts', environment: { LOCKSTEP_CHECKLIST: 'full' } },
  matrix: { file: 'tests/cluster/fault-matrix.test.ts', environment: { LOCKSTEP_MATRIX: 'full' } },
}
const given = process.argv.slice(2)
const unknown = given.filter((name) => !(name in campaigns))
if (unknown.length > 0)
  fail(`There is no campaign "${unknown[0]}": name ${Object.keys(campaigns).join(' or ')}, or nothing for all`)

const vitest = path.join(root, 'node_modules', 'vitest', 'vitest.mjs')
let failed = 0
for (const name of given.length > 0 ? given : Object.keys(campaigns)) {
  const { file, environment } = campaigns[name]
  const run = spawnSync(process.execPath, [vitest, 'run', '--project', 'servers', file, '--reporter=verbose'], {
    cwd: root,
    env: { ...process.env, ...environment },
    stdio: 'inherit',
  })
  if (run.status !== 0) failed += 1
}
process.exit(failed === 0 ? 0 : 1)
