import { deferred, systemClock } from '@lockstep/base'
import { describe, expect, it } from 'vitest'
import { Admission, type Room } from './admission.ts'
import { rankOf } from './rank.ts'

const here = (): AbortSignal => new AbortController().signal
const never = { turnAwayAfterMs: 600_000, giveUpAfterMs: 600_000 }
const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'done',
    (error: { code?: string }) => error.code ?? 'other',
  )

/** A request that stays until it is let go. */
function stay(admission: Admission, rank: Parameters<Admission['run']>[0], gone = here) {
  const entered = deferred<Room>()
  const leave = deferred<void>()
  const ended = codeOf(
    admission.run(rank, gone, (room) => {
      entered.resolve(room)
      return leave.promise
    }),
  )
  return { entered: entered.promise, leave: () => leave.resolve(), ended }
}

describe('admission', () => {
  it('leaves room to the ranks above', async () => {
    const admission = new Admission(systemClock, { atOnce: 4, reserved: 0.25, queued: 0, ...never })
    const first = stay(admission, 'start')
    await first.entered
    expect(await stay(admission, 'start').ended).toBe('TOO_MANY_REQUESTS')
    await stay(admission, 'ordinary').entered
    expect(await stay(admission, 'ordinary').ended).toBe('TOO_MANY_REQUESTS')
    await stay(admission, 'resume').entered
    expect(await stay(admission, 'resume').ended).toBe('TOO_MANY_REQUESTS')
    await stay(admission, 'vital').entered
    expect(await stay(admission, 'vital').ended).toBe('TOO_MANY_REQUESTS')
  })

  it('serves those who wait by rank, then in order', async () => {
    const admission = new Admission(systemClock, { atOnce: 4, reserved: 0, queued: 10, ...never })
    const holders = Array.from({ length: 4 }, () => stay(admission, 'start'))
    await Promise.all(holders.map((each) => each.entered))
    const order: string[] = []
    const enter = (name: string, rank: Parameters<Admission['run']>[0]) =>
      admission.run(rank, here, async () => void order.push(name))
    const all = [
      enter('start 1', 'start'),
      enter('start 2', 'start'),
      enter('resume', 'resume'),
      enter('beat', 'vital'),
    ]
    holders[0]!.leave()
    await Promise.all(all)
    expect(order).toEqual(['beat', 'resume', 'start 1', 'start 2'])
  })

  it('refuses at the door when the oldest has waited long, and the oldest when it has waited too long', async () => {
    const late = new Admission(systemClock, { atOnce: 4, reserved: 0, turnAwayAfterMs: 0, giveUpAfterMs: 600_000 })
    for (let each = 0; each < 4; each++) await stay(late, 'start').entered
    void stay(late, 'start')
    await new Promise((resolve) => setTimeout(resolve, 5))
    expect(await stay(late, 'start').ended).toBe('TOO_MANY_REQUESTS')

    const hasty = new Admission(systemClock, { atOnce: 4, reserved: 0, turnAwayAfterMs: 600_000, giveUpAfterMs: 1 })
    for (let each = 0; each < 4; each++) await stay(hasty, 'start').entered
    expect(await stay(hasty, 'start').ended).toBe('OVERLOADED')
  })

  it('gives room away while its owner only waits, and never refuses the way back', async () => {
    const admission = new Admission(systemClock, { atOnce: 4, reserved: 0, queued: 0, ...never })
    const waiting = deferred<void>()
    const rested = Array.from({ length: 6 }, () =>
      codeOf(admission.run('start', here, (room) => room.rest(() => waiting.promise))),
    )
    const others = Array.from({ length: 4 }, () => stay(admission, 'start'))
    await Promise.all(others.map((each) => each.entered))
    waiting.resolve()
    for (const other of others) other.leave()
    expect(await Promise.all(rested)).toEqual(Array(6).fill('done'))
    // Nothing was lost on the way: there is room for four again.
    await Promise.all(Array.from({ length: 4 }, () => stay(admission, 'start').entered))
    expect(await stay(admission, 'start').ended).toBe('TOO_MANY_REQUESTS')
  })

  it('forgets those who hung up, and sends those who wait elsewhere when it closes', async () => {
    const admission = new Admission(systemClock, { atOnce: 4, reserved: 0, queued: 1, ...never })
    const holders = Array.from({ length: 4 }, () => stay(admission, 'start'))
    await Promise.all(holders.map((each) => each.entered))
    const hangUp = new AbortController()
    const left = stay(admission, 'start', () => hangUp.signal)
    hangUp.abort()
    expect(await left.ended).toBe('OVERLOADED')
    const last = stay(admission, 'start')
    admission.close()
    expect(await last.ended).toBe('SHUTTING_DOWN')
    expect(await stay(admission, 'vital').ended).toBe('SHUTTING_DOWN')
    holders[0]!.leave()
    expect(await holders[0]!.ended).toBe('done')
  })

  it.each([
    [{ atOnce: 3 }, /overload\.atOnce/],
    [{ reserved: 0.5 }, /overload\.reserved/],
    [{ queued: -1 }, /overload\.queued/],
    [{ giveUpAfterMs: Number.NaN }, /overload\.giveUpAfterMs/],
  ])('refuses %j', (options, message) => {
    expect(() => new Admission(systemClock, options)).toThrow(message)
  })
})

describe('ranks', () => {
  it.each([
    ['POST', '/tasks/:id/heartbeat', 'vital'],
    ['POST', '/cluster/nodes/:id/drain', 'vital'],
    ['GET', '/cluster/nodes', 'vital'],
    ['POST', '/workflow-instances/:id/resume', 'resume'],
    ['POST', '/events', 'resume'],
    ['POST', '/tasks/:id/complete', 'resume'],
    ['GET', '/workflow-instances', 'ordinary'],
    ['POST', '/tasks/claim', 'ordinary'],
    ['POST', '/workflow-instances', 'start'],
    ['POST', '/schedules/run-due', 'start'],
  ])('%s %s is %s', (method, path, rank) => {
    expect(rankOf({ method, path })).toBe(rank)
  })
})
