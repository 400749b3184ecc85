import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const READY_MS = 60_000
const CALL_MS = 180_000
const CLOSE_MS = 30_000
/** As in our image; peers have it too. */
const NODE_FLAGS = ['--max-semi-space-size=64']
const KEPT_LINES = 40

/** An engine in a process of its own, so that its share of the processor can be told from the benchmark's. */
export async function startEngine(name, file) {
  const child = fork(fileURLToPath(file), [], { execArgv: NODE_FLAGS, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] })
  const lines = []
  const waiting = new Map()
  let nextId = 1
  let over

  const keep = (chunk) => {
    lines.push(...String(chunk).trimEnd().split('\n'))
    lines.splice(0, Math.max(0, lines.length - KEPT_LINES))
  }
  child.stdout.on('data', keep)
  child.stderr.on('data', keep)
  const ended = new Promise((resolve) => child.once('exit', resolve))
  const failAll = (reason) => {
    over = [`${name} ${reason}`, ...lines].join('\n  ')
    for (const { reject } of waiting.values()) reject(new Error(over))
    waiting.clear()
  }
  child.once('exit', (code, signal) => failAll(`ended with ${code ?? signal}`))
  child.once('error', (error) => failAll(`did not start: ${error.message}`))
  child.on('message', ({ id = 0, value, error }) => {
    const waiter = waiting.get(id)
    waiting.delete(id)
    if (error === undefined) waiter?.resolve(value)
    else waiter?.reject(new Error(`${name}: ${error}`))
  })

  const expect = (id, limitMs, doing) =>
    new Promise((resolve, reject) => {
      if (over !== undefined) return reject(new Error(over))
      const late = setTimeout(() => {
        waiting.delete(id)
        reject(new Error([`${name} was still ${doing} after ${limitMs / 1000} s`, ...lines].join('\n  ')))
      }, limitMs)
      const settle = (then) => (value) => {
        clearTimeout(late)
        then(value)
      }
      waiting.set(id, { resolve: settle(resolve), reject: settle(reject) })
    })

  const call = (verb, args, limitMs = CALL_MS) => {
    const id = nextId
    nextId += 1
    const answered = expect(id, limitMs, `at "${verb}"`)
    if (over === undefined) child.send({ id, verb, args })
    return answered
  }

  await expect(0, READY_MS, 'starting')
  return {
    name,
    pid: child.pid,
    call,
    async stop() {
      if (over === undefined) await call('close', {}, CLOSE_MS).catch(() => undefined)
      const late = setTimeout(() => child.kill('SIGKILL'), 2_000)
      await ended
      clearTimeout(late)
    },
  }
}
