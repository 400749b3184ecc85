// `npm run dev`: rebuilds on every change and restarts the server when a build is clean. Two child processes, both ended with this one.
import { spawn } from 'node:child_process'
import path from 'node:path'
import { bundleAll } from './bootstrap/build.mjs'
import { root, say } from './bootstrap/say.mjs'

const args = process.argv.slice(2)
let server
let restarting = Promise.resolve()
let stopping = false

const compiler = spawn(
  process.execPath,
  [path.join('node_modules', 'typescript', 'bin', 'tsc'), '-b', '--watch', '--preserveWatchOutput'],
  // A group of its own, to be ended as one: what is started here starts the compiler itself as another process.
  { cwd: root, stdio: ['ignore', 'pipe', 'inherit'], detached: true },
)
compiler.stdout.setEncoding('utf8')
compiler.stdout.on('data', (text) => {
  process.stdout.write(text)
  if (/Found 0 errors/.test(text)) restarting = restarting.then(restart)
})

async function restart() {
  if (stopping) return
  if (server) {
    say('sources changed, restarting the node')
    await stop(server)
  }
  try {
    await bundleAll()
  } catch (error) {
    return say(`bundling failed, waiting for the next change:\n${error.message}`)
  }
  if (stopping) return
  server = spawn(process.execPath, ['packages/lockstep/bin/lockstep.mjs', 'server', ...args], {
    cwd: root,
    stdio: 'inherit',
    // Activity modules of the configuration are loaded anew without a restart.
    env: { LOCKSTEP_WATCH: 'on', ...process.env },
  })
}

function stop(child) {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve()
  return new Promise((resolve) => {
    child.once('exit', resolve)
    child.kill('SIGTERM')
  })
}

/** However this ends. */
process.on('exit', () => {
  if (compiler.exitCode === null && compiler.signalCode === null) process.kill(-compiler.pid, 'SIGTERM')
})

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, async () => {
    stopping = true
    if (server) await stop(server)
    process.exit(0)
  })
}
