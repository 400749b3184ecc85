import { type LogFields, type Logger, silentLogger } from '@lockstep/base'
import { describe, expect, it } from 'vitest'
import { type RunLease, runUnder } from './run-under.ts'

function lease(end: 'released' | 'lost' | Error, lostBy?: Error): RunLease & { releases: number } {
  return {
    name: 'm',
    lostBy,
    releases: 0,
    async release() {
      this.releases += 1
      if (end instanceof Error) throw end
      return end
    },
  }
}

function noting(): Logger & { readonly lines: string[] } {
  const lines: string[] = []
  const warn = (message: string, fields: LogFields = {}): void => void lines.push(`${message}: ${fields.error}`)
  return { ...silentLogger, warn, lines }
}

describe('running under a lease', () => {
  it('answers with what the work answers, and releases', async () => {
    const held = lease('released')
    expect(await runUnder(held, noting(), () => 42)).toBe(42)
    expect(held.releases).toBe(1)
  })

  it('throws what the work threw, whatever became of the lease', async () => {
    const failure = new Error('work')
    const fail = (): never => {
      throw failure
    }
    const log = noting()
    await expect(runUnder(lease('released'), log, fail)).rejects.toBe(failure)
    expect(log.lines).toEqual([])
    await expect(runUnder(lease(new Error('store away')), log, fail)).rejects.toBe(failure)
    await expect(runUnder(lease('lost', new Error('lost')), log, fail)).rejects.toBe(failure)
    expect(log.lines).toEqual([
      'release failed; it is tried again until the lease has ended: store away',
      'work failed, and its lease was lost: lost',
    ])
  })

  it('throws the loss when the work ended well without the lock', async () => {
    const lost = new Error('lost')
    await expect(runUnder(lease('lost', lost), noting(), () => 42)).rejects.toBe(lost)
  })

  it('answers although the release did not reach the store', async () => {
    const log = noting()
    expect(await runUnder(lease(new Error('store away')), log, () => 42)).toBe(42)
    expect(log.lines).toHaveLength(1)
  })
})
