import type { NewAuditEntry } from '@lockstep/engine/ports'
import { expect, it } from 'vitest'
import type { AuditTrail } from './audit-trail.ts'
import { type AuditedCall, tell } from './audited.ts'

it.each([
  ['a zero character', 'a\0b', 'ab'],
  ['a text that only looks like one', 'a\\u0000b', 'a\\u0000b'],
  ['both', '\\\0\\u0000', '\\\\u0000'],
])('keeps what changed though there is %s in it', async (_, said, kept) => {
  const entries: NewAuditEntry[] = []
  const trail = { written: async (entry: NewAuditEntry) => void entries.push(entry) } as Partial<AuditTrail>
  const call = {
    ...{ trail, mode: 'written', operation: 'tend', at: 0, node: 'n', opens: false, secret: false, note: {} },
    principal: { kind: 'user', id: 'user:ana', tenant: 'default' },
    request: { params: {}, headers: {}, ip: '', body: {} },
  } as unknown as AuditedCall
  await tell(call, 'done', 200, { change: { before: undefined, after: { assignee: said } } })
  expect(entries).toMatchObject([{ detail: { before: null, after: { assignee: kept } } }])
})

it.each([
  ['nobody', 'UNAUTHENTICATED', 401, 'tally'],
  ['nobody', 'CROSS_SITE_REQUEST', 403, 'tally'],
  ['nobody', 'RATE_LIMITED', 429, 'tally'],
  ['nobody', 'SIGN_IN_FAILED', 401, 'written'],
  ['user:ana', 'CROSS_SITE_REQUEST', 403, 'written'],
])('of %s, %s is not lost, and costs no more than it should', async (id, outcome, status, way) => {
  const ways: string[] = []
  const trail = { written: async () => void ways.push('written'), tally: () => void ways.push('tally') }
  const call = {
    ...{ trail, mode: 'written', operation: 'tend', at: 0, node: 'n', opens: false, secret: false, note: {} },
    principal: { kind: 'user', id, tenant: 'default' },
    request: { params: {}, headers: {}, ip: '', body: {} },
  } as unknown as AuditedCall
  await tell(call, outcome, status)
  expect(ways).toEqual([way])
})
