// What `npm start`, `npm test` and the other scripts run first. Depends on nothing but Node: in a fresh clone there is
// no node_modules yet. Installs when the lock file changed, builds when a source changed, then runs the word it was given.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { ensureBuilt } from './bootstrap/build.mjs'
import { ensureInstalled } from './bootstrap/install.mjs'
import { withFolderLock } from './bootstrap/lock.mjs'
import { fail, root } from './bootstrap/say.mjs'

const node = (...args) => [process.execPath, args]
const vitest = path.join(root, 'node_modules', 'vitest', 'vitest.mjs')

/** As in the image: what a request leaves behind is dead before it would be copied. */
const roomy = '--max-semi-space-size=64'

/** What each word runs once everything is installed and built. */
const words = {
  start: (rest) => [node(roomy, 'packages/lockstep/bin/lockstep.mjs', 'server', '--samples', ...rest)],
  dev: (rest) => [node('scripts/dev.mjs', ...rest)],
  build: () => [],
  check: (rest) => [node('scripts/check.mjs', ...rest)],
  generate: (rest) => [node('scripts/generate.mjs', ...rest)],
  bench: (rest) => [node('bench/run.mjs', ...rest)],
  simulate: (rest) => [node('scripts/simulate.mjs', ...rest)],
  test: (rest) =>
    rest.length > 0 ? [node(vitest, 'run', ...rest)] : [node('scripts/check.mjs'), node('scripts/test.mjs')],
}

requireNode(20, 19)
const [word, ...rest] = process.argv.slice(2)
if (!Object.hasOwn(words, word ?? '')) fail(`unknown word "${word ?? ''}": use one of ${Object.keys(words).join(', ')}`)

await withFolderLock(async () => {
  await ensureInstalled()
  await ensureBuilt({ force: word === 'build' })
})
for (const [command, args] of words[word](rest)) {
  const code = await run(command, args)
  if (code !== 0) process.exit(code)
}

/** Runs a program in the foreground. Ctrl-C reaches it by itself (same terminal); a plain SIGTERM is passed on. */
function run(command, args) {
  const entry = path.resolve(root, args.find((each) => !each.startsWith('-')) ?? '')
  if (!existsSync(entry)) fail(`${path.relative(root, entry)} is missing: this checkout is not complete`)
  const child = spawn(command, args, { cwd: root, stdio: 'inherit' })
  const passOn = (signal) => child.kill(signal)
  const wait = () => {}
  process.on('SIGTERM', passOn).on('SIGHUP', passOn).on('SIGINT', wait)
  return new Promise((resolve) => {
    child.on('error', (error) => fail(`could not run ${command}: ${error.message}`))
    child.on('exit', (code, signal) => {
      process.off('SIGTERM', passOn).off('SIGHUP', passOn).off('SIGINT', wait)
      resolve(code ?? (signal === 'SIGINT' ? 130 : 1))
    })
  })
}

function requireNode(major, minor) {
  const [ours, oursMinor] = process.versions.node.split('.').map(Number)
  if (ours < major || (ours === major && oursMinor < minor))
    fail(
      `Lockstep needs Node ${major}.${minor} or newer; this is ${process.versions.node}. Install a newer Node and try again`,
    )
}
