// holder.mjs <name> [pause]: takes the lock, checks that it still holds it, and writes its name to the storage.
import { coordinator, fenceHeaders } from '@lockstep/coordination'
import { redisProvider } from '@lockstep/redis'

const [name, pause] = process.argv.slice(2)
const provider = redisProvider({ url: process.env.REDIS_URL })
const locks = coordinator({ provider, ownsProvider: true, name, ttlMs: 1_000 })
const lease = await locks.mutex('document').acquire()
say(`has the lock, fence ${lease.fence}`)

lease.assertHeld() // it holds the lock, without doubt
if (pause === 'pause') {
  // A pause can come between any two instructions: garbage collection, a page swapped out, a machine that moves.
  say('checked its lock and is about to write')
  process.kill(process.pid, 'SIGSTOP')
}
const answer = await fetch(process.env.STORAGE_URL, { method: 'PUT', body: name, headers: fenceHeaders(lease) })
say(`wrote, and the storage answered ${answer.status} ${await answer.text()}`)
say(`ends; it ${(await lease.release()) === 'released' ? 'had the lock to the end' : 'had lost the lock'}`)
await locks.close()

function say(text) {
  process.stdout.write(`${name} ${text}\n`)
}
