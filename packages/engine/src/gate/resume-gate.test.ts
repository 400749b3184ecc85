import { deferred, systemClock } from '@lockstep/base'
import { describe, expect, it } from 'vitest'
import type { ResumeVerdict } from '../store/stimulus-store.ts'
import { type GateProvider, openGate } from './gate-provider.ts'
import { ResumeGate } from './resume-gate.ts'

const RESUMED: ResumeVerdict = { kind: 'resumed', bookmarkId: 'b' }

describe('ResumeGate', () => {
  it('asks once for those that come before it is asked: one has resumed, the others came second', async () => {
    const gate = new ResumeGate(openGate, systemClock)
    let asked = 0
    const ask = async () => {
      asked += 1
      return RESUMED
    }
    const kinds = (await Promise.all(Array.from({ length: 10 }, () => gate.ask('x', ask)))).map(({ kind }) => kind)
    expect(asked).toBe(1)
    expect(kinds.filter((kind) => kind === 'resumed')).toHaveLength(1)
    expect(kinds.filter((kind) => kind === 'already-resumed')).toHaveLength(9)
  })

  it('asks anew for whoever comes after the question has left, and apart for other names', async () => {
    const gate = new ResumeGate(openGate, systemClock)
    const answers = [deferred<ResumeVerdict>(), deferred<ResumeVerdict>()]
    let asked = 0
    const ask = () => answers[asked++]!.promise
    const first = gate.ask('x', ask)
    while (asked === 0) await new Promise((resolve) => setTimeout(resolve, 1))
    const second = gate.ask('x', ask)
    while (asked === 1) await new Promise((resolve) => setTimeout(resolve, 1))
    answers[1]!.resolve(RESUMED)
    answers[0]!.resolve({ kind: 'already-resumed' })
    expect(await Promise.all([first, second])).toEqual([{ kind: 'already-resumed' }, RESUMED])
    expect(await gate.ask('y', async () => RESUMED)).toEqual(RESUMED)
  })

  it('keeps back while somebody is in, and asks nevertheless when that does not end', async () => {
    let busy = 3
    let left = 0
    const counting: GateProvider = {
      tryEnter: async () => (busy-- > 0 ? 'busy' : { leave: () => (left += 1) }),
    }
    expect(await new ResumeGate(counting, systemClock).ask('x', async () => RESUMED)).toEqual(RESUMED)
    expect([busy, left]).toEqual([-1, 1])
    const stuck = new ResumeGate({ tryEnter: async () => 'busy' }, systemClock)
    expect(await stuck.ask('x', async () => RESUMED)).toEqual(RESUMED)
  })

  it('lets the others try when the first one fails, and is free again afterwards', async () => {
    const gate = new ResumeGate(openGate, systemClock)
    let asked = 0
    const ask = async (): Promise<ResumeVerdict> => {
      asked += 1
      if (asked === 1) throw new Error('connection lost')
      return RESUMED
    }
    const [first, second] = await Promise.allSettled([gate.ask('x', ask), gate.ask('x', ask)])
    expect(first).toMatchObject({ status: 'rejected' })
    expect(second).toMatchObject({ status: 'fulfilled', value: RESUMED })
  })
})
