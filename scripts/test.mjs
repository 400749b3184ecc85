// `npm test`: every test once. Files that failed are run a second time, alone, where lateness explains it: those about what people see
// (project `surface`: pages, commands, documents), those that wait out leases in real time (`contracts`), and of those about what must hold
// every time (`servers`) the ones that waited in vain. A value that is wrong there is wrong: it has one try.
import { tmpdir } from 'node:os'
import { startVitest } from 'vitest/node'
import { say } from './bootstrap/say.mjs'
import { isLate } from './test/lateness.mjs'
import { memoryFolder } from './test/memory-folder.mjs'

const PATIENT = ['surface', 'contracts']
const AGAIN = [...PATIENT, 'servers']
/** More than these are not late, they are broken. */
const MOST_FILES_AGAIN = 12

process.env.TMPDIR ??= memoryFolder() ?? tmpdir()

const first = await run([])
const again = first.failed.filter(({ project, late }) => PATIENT.includes(project) || (project === 'servers' && late))
const canBeLate = first.errors === 0 && again.length === first.failed.length && again.length <= MOST_FILES_AGAIN
if (first.passed || !canBeLate) process.exit(first.passed ? 0 : 1)

for (const { file, tests } of again)
  say(`failed, and runs once more, alone: ${file} (${tests.join('; ') || 'the file itself'})`)
const second = await run(again.map(({ file }) => file))
say(second.passed ? `passed at the second try: ${again.map(({ file }) => file).join(', ')}` : 'failed twice')
process.exit(second.passed ? 0 : 1)

async function run(files) {
  process.exitCode = undefined
  const alone = files.length > 0 && { project: AGAIN, maxWorkers: 1 }
  const vitest = await startVitest('test', files, { watch: false, ...alone })
  const modules = vitest.state.getTestModules()
  const failed = modules.filter((module) => !module.ok()).map(describe)
  const errors = vitest.state.getUnhandledErrors().length
  await vitest.close()
  const passed = modules.length > 0 && failed.length === 0 && errors === 0 && (process.exitCode ?? 0) === 0
  return { failed, errors, passed }
}

function describe(module) {
  const failed = [...module.children.allTests('failed')]
  const suites = [...module.children.allSuites()]
  const errors = [
    ...module.errors(),
    ...suites.flatMap((suite) => suite.errors()),
    ...failed.flatMap((test) => test.result().errors ?? []),
  ]
  return {
    project: module.project.name,
    file: module.relativeModuleId,
    tests: failed.map(({ fullName }) => fullName),
    late: errors.length > 0 && errors.every(isLate),
  }
}
