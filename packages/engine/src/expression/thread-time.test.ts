import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { ownThread, threadTime } from './thread-time.ts'

it.skipIf(!existsSync('/proc/thread-self/schedstat'))('counts what a thread works, not what it waits', async () => {
  const time = threadTime(ownThread())
  const from = time.workedMs()
  await delay(300)
  const waited = time.workedMs() - from
  let worked = 0
  for (let turn = 0; worked < 50; turn += 1) {
    Math.sqrt(turn)
    if (turn % 10_000 === 0) worked = time.workedMs() - from - waited
  }
  time.close()
  expect(from).toBeGreaterThan(0)
  expect(worked).toBeGreaterThanOrEqual(50)
})

it('says nothing of what the system does not know', () => {
  for (const place of [undefined, '/proc/none/schedstat']) {
    const time = threadTime(place)
    expect(time.workedMs()).toBeNaN()
    time.close()
  }
})

it('does not take a system that keeps no such count for a thread that never works', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lockstep-thread-'))
  const place = join(folder, 'schedstat')
  writeFileSync(place, '0 0 0\n')
  const time = threadTime(place)
  expect(time.workedMs()).toBeNaN()
  time.close()
  rmSync(folder, { recursive: true })
})
