import { silentLogger } from '@lockstep/base'
import { virtualClock } from '@lockstep/testing/simulation'
import { describe, expect, it } from 'vitest'
import { dueAge } from './due-age.ts'

const found = (seconds: number) => [
  { labels: { queue: 'default' }, value: seconds },
  { labels: { queue: 'functions' }, value: 0 },
]

/** A store that answers as it is told. */
function open(answer: (time: number) => Promise<number>) {
  const clock = virtualClock()
  let asked = 0
  const read = async () => {
    asked += 1
    return { graphsMs: (await answer(asked)) * 1_000, functionsMs: 0 }
  }
  return { clock, samples: dueAge({ read, clock, logger: silentLogger }), asked: () => asked }
}

describe('the age of what is due', () => {
  it('is asked for once in some seconds, however many want it', async () => {
    const { clock, samples, asked } = open(async (time) => time * 10)
    expect(await Promise.all([samples(), samples()])).toEqual([found(10), found(10)])
    await clock.advance(4_900)
    expect(await samples()).toEqual(found(10))
    expect(asked()).toBe(1)
    await clock.advance(100)
    expect(await samples()).toEqual(found(20))
    expect(asked()).toBe(2)
  })

  it('is not told while the store fails, and is told again when it does not', async () => {
    const { clock, samples, asked } = open(async (time) => (time === 1 ? Promise.reject(new Error('away')) : time))
    expect([await samples(), await samples(), asked()]).toEqual([[], [], 1])
    await clock.advance(5_000)
    expect(await samples()).toEqual(found(2))
  })

  it('keeps nobody waiting for a store that does not answer, and asks it no second time meanwhile', async () => {
    let answer = (_: number): void => {}
    const held = new Promise<number>((resolve) => {
      answer = resolve
    })
    const { clock, samples, asked } = open(() => held)
    for (let n = 0; n < 3; n += 1) {
      const wanted = samples()
      await clock.advance(1_000)
      expect(await wanted).toEqual([])
      await clock.advance(10_000)
    }
    expect(asked()).toBe(1)
    answer(7)
    await clock.advance(0)
    expect([await samples(), asked()]).toEqual([found(7), 2])
  })
})
