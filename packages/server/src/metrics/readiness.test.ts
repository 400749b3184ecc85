import { virtualClock } from '@lockstep/testing/simulation'
import { describe, expect, it } from 'vitest'
import type { HealthCheck } from '../health/health.ts'
import { readiness } from './readiness.ts'

const told = (database: number) => [
  { labels: { part: 'node' }, value: 1 },
  { labels: { part: 'database' }, value: database },
]

function open(isThere: (time: number) => Promise<boolean>) {
  const clock = virtualClock()
  let asked = 0
  const read = async (): Promise<readonly HealthCheck[]> => {
    asked += 1
    const ok = await isThere(asked)
    return [
      { name: 'node', ok: true },
      { name: 'database', ok },
    ]
  }
  return { clock, samples: readiness({ read, clock }), asked: () => asked }
}

describe('readiness in metrics', () => {
  it('says 0 for a database that does not answer, and 1 when it does again', async () => {
    const { clock, samples } = open(async (time) => time !== 1)
    expect(await samples()).toEqual(told(0))
    await clock.advance(5_000)
    expect(await samples()).toEqual(told(1))
  })

  it('asks once in some seconds, however many want it', async () => {
    const { clock, samples, asked } = open(async () => true)
    expect(await Promise.all([samples(), samples()])).toEqual([told(1), told(1)])
    await clock.advance(4_900)
    await samples()
    expect(asked()).toBe(1)
    await clock.advance(100)
    await samples()
    expect(asked()).toBe(2)
  })

  it('waits for nobody who hangs, asks no second time meanwhile, and tells what came of it', async () => {
    let answer = (_ok: boolean): void => {}
    const { clock, samples, asked } = open((time) =>
      time === 1 ? Promise.resolve(true) : new Promise<boolean>((resolve) => (answer = resolve)),
    )
    expect(await samples()).toEqual(told(1))
    await clock.advance(15_000)
    const late = samples()
    await clock.advance(1_000)
    expect(await late).toEqual(told(1))
    const later = samples()
    await clock.advance(1_000)
    await later
    expect(asked()).toBe(2)
    answer(false)
    expect(await samples()).toEqual(told(0))
  })
})
