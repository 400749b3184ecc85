import { describe, expect, it } from 'vitest'
import { paced } from './paced.ts'

function opened() {
  let due: { readonly at: number; readonly run: () => void }[] = []
  let now = 0
  const handed: string[] = []
  const tell = paced(
    1_000,
    (ms, run) => due.push({ at: now + ms, run }),
    (names) => handed.push(`${now}: ${names.join(' ')}`),
  )
  const until = (ms: number): void => {
    for (now = Math.min(now, ms); ; ) {
      const next = due.toSorted((a, b) => a.at - b.at)[0]
      if (next === undefined || next.at > ms) break
      due = due.filter((each) => each !== next)
      now = next.at
      next.run()
    }
    now = ms
  }
  return { tell, until, handed }
}

describe('what happens', () => {
  it('is handed on at once, all of one message together', () => {
    const { tell, until, handed } = opened()
    until(5_000)
    tell('instances')
    tell('home')
    until(5_001)
    expect(handed).toEqual(['5000: instances home'])
  })

  it('is handed on once in a while when it does not stop, and its end is not lost', () => {
    const { tell, until, handed } = opened()
    for (let at = 0; at < 2_500; at += 100) {
      until(at)
      tell('instances')
    }
    until(10_000)
    expect(handed).toEqual(['0: instances', '1000: instances', '2000: instances', '3000: instances'])
  })

  it('is handed on at once again after a rest', () => {
    const { tell, until, handed } = opened()
    tell('instances')
    until(4_000)
    tell('nodes')
    until(4_001)
    expect(handed).toEqual(['0: instances', '4000: nodes'])
  })
})
