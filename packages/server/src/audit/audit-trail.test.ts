import { silentLogger, systemClock } from '@lockstep/base'
import type { NewAuditEntry } from '@lockstep/engine/ports'
import { describe, expect, it } from 'vitest'
import { AuditTrail } from './audit-trail.ts'

const entry = (operation: string): NewAuditEntry => ({
  ...{
    tenant: 'default',
    at: 0,
    actorKind: 'key',
    actor: 'key:1',
    operation,
    target: '',
    outcome: 'done',
    status: 200,
  },
  ...{ address: '', agent: '', node: '' },
})

/** Takes a batch whenever the test lets it. */
function heldStore() {
  const written: string[][] = []
  const asked: { take(): void; fail(): void }[] = []
  const store = {
    append: (entries: readonly NewAuditEntry[]) =>
      new Promise<void>((resolve, reject) => {
        asked.push({
          take: () => {
            written.push(entries.map(({ operation }) => operation))
            resolve()
          },
          fail: () => reject(new Error('the store is away')),
        })
      }),
    list: async () => ({ rows: [], lookedTo: undefined }),
  }
  return { store, written, asked }
}
const open = (store: ReturnType<typeof heldStore>['store']) =>
  new AuditTrail({ store, clock: systemClock, logger: silentLogger })

describe('the audit trail', () => {
  it('writes in one statement what came while another was being written, and tells each when it is durable', async () => {
    const { store, written, asked } = heldStore()
    const trail = open(store)
    let settled = 0
    const waits = ['a', 'b', 'c'].map(async (name) => {
      await trail.written(entry(name))
      settled += 1
    })
    expect([asked.length, settled]).toEqual([1, 0])
    asked[0]!.take()
    await expect.poll(() => asked.length).toBe(2)
    expect(settled).toBe(1)
    asked[1]!.take()
    await Promise.all(waits)
    expect(written).toEqual([['a'], ['b', 'c']])
  })

  it('keeps what the store would not take, in its order, and writes it before it closes', async () => {
    const { store, written, asked } = heldStore()
    const trail = open(store)
    const first = trail.written(entry('a'))
    asked[0]!.fail()
    await first // it is tried again: the caller is not kept waiting for a store that is away
    trail.note(entry('b'))
    const closed = trail.close()
    await expect.poll(() => asked.length).toBe(2)
    asked[1]!.take()
    await closed
    expect(written).toEqual([['a', 'b']])
  })
})
