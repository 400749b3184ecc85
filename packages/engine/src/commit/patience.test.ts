import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Clock } from '@lockstep/base'
import { expect, it } from 'vitest'
import { Patience } from './patience.ts'

setFlagsFromString('--expose-gc')
const collect: (kind?: { readonly type: 'minor' }) => void = runInNewContext('gc')

/** A plain `Set` leaves more than one in four of them. */
it('leaves nothing of the batches that are over to the next full collection', () => {
  const clock: Partial<Clock> = { monotonic: () => 0, schedule: () => ({ cancel: () => undefined }) }
  const patience = new Patience(clock as Clock, () => undefined)
  let last = patience.begin({ since: 0 })
  const pass = (count: number): void => {
    for (let nth = 0; nth < count; nth += 1) {
      const batch = { since: 0, starts: new Array(500).fill(nth) }
      const no = patience.begin(batch)
      patience.end(last)
      last = no
      if (nth % 50 === 0) collect({ type: 'minor' })
    }
  }
  pass(1_000)
  collect()
  const before = process.memoryUsage().heapUsed
  pass(5_000)
  collect({ type: 'minor' })
  collect({ type: 'minor' })
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(2_000_000)
})
