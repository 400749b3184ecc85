// Tells the story twice, without and with the check. See README.md.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { openStorage } from './storage.mjs'

const redis = process.env.REDIS_URL === undefined ? await startOwnRedis() : { url: process.env.REDIS_URL, stop() {} }
const lost = []
try {
  for (const checked of [false, true]) {
    say(checked ? 'A storage that compares fences' : 'A storage that takes every write')
    lost.push(await tell(checked))
  }
} finally {
  await redis.stop()
}
const shown = lost[0] && !lost[1]
say(shown ? 'The fence made the difference.' : 'This did not show what it should.')
process.exitCode = shown ? 0 : 1

/** Answers whether Bob's write was lost. */
async function tell(checked) {
  const storage = await openStorage(checked)
  const ann = holder('Ann', storage.url, 'pause')
  try {
    await ann.said(/about to write/)
    note('Ann is stopped now; her lease lives on in Redis for a second and then ends')
    await holder('Bob', storage.url).ended
    note('Ann wakes up and does not know that time has passed')
    ann.process.kill('SIGCONT')
    await ann.ended
  } finally {
    ann.process.kill('SIGKILL') // a stopped process would outlive us
    await storage.close()
  }
  const content = storage.writes.at(-1)
  note(`the document says "${content}": ${content === 'Bob' ? 'Bob wrote last, and stays' : "Bob's write is lost"}\n`)
  return content !== 'Bob'
}

function holder(name, storageUrl, ...args) {
  const file = fileURLToPath(new URL('holder.mjs', import.meta.url))
  const env = { ...process.env, REDIS_URL: redis.url, STORAGE_URL: storageUrl }
  const child = spawn(process.execPath, [file, name, ...args], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const lines = createInterface({ input: child.stdout })
  lines.on('line', (line) => note(line))
  return {
    process: child,
    said: (pattern) =>
      new Promise((resolve, reject) => {
        lines.on('line', (line) => pattern.test(line) && resolve())
        lines.on('close', () => reject(new Error(`${name} ended without saying ${pattern}`)))
      }),
    ended: once(child, 'exit'),
  }
}

async function startOwnRedis() {
  const { startRedis } = await import('@lockstep/testing/harness')
  return startRedis({ quiet: true })
}

function say(text) {
  process.stdout.write(`${text}\n`)
}
function note(text) {
  process.stdout.write(`  ${text}\n`)
}
