// `npm test`: every test once. Files about what people see (project `surface`: pages, commands, documents) that failed are run a second
// time, alone: on a busy machine a page may be late. What must hold every time has one try.
import { startVitest } from 'vitest/node'
import { say } from './bootstrap/say.mjs'

/** More than these are not late, they are broken. */
const MOST_FILES_AGAIN = 5

const first = await run([])
const again = first.failed.filter(({ project }) => project === 'surface')
const canBeLate = first.errors === 0 && again.length === first.failed.length && again.length <= MOST_FILES_AGAIN
if (first.passed || !canBeLate) process.exit(first.passed ? 0 : 1)

for (const { file, tests } of again)
  say(`failed, and runs once more, alone: ${file} (${tests.join('; ') || 'the file itself'})`)
const second = await run(again.map(({ file }) => file))
say(second.passed ? `passed at the second try: ${again.map(({ file }) => file).join(', ')}` : 'failed twice')
process.exit(second.passed ? 0 : 1)

async function run(files) {
  process.exitCode = undefined
  const vitest = await startVitest('test', files, { watch: false, ...(files.length > 0 && { project: 'surface' }) })
  const modules = vitest.state.getTestModules()
  const failed = modules.filter((module) => !module.ok()).map(describe)
  const errors = vitest.state.getUnhandledErrors().length
  await vitest.close()
  const passed = modules.length > 0 && failed.length === 0 && errors === 0 && (process.exitCode ?? 0) === 0
  return { failed, errors, passed }
}

function describe(module) {
  const tests = [...module.children.allTests('failed')].map(({ fullName }) => fullName)
  return { project: module.project.name, file: module.relativeModuleId, tests }
}
