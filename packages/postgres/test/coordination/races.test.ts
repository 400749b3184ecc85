import type { LeaseRequest } from '@lockstep/coordination'
import { cloneDatabase } from '@lockstep/testing/harness'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { type Db, postgresCoordination } from '../../src/index.ts'
import { openSession, type Session } from '../engine/scripted-sessions.ts'
import { edge, openTestPostgres } from '../open-test-database.ts'

const SESSIONS = 64
let url: string
let drop: () => Promise<void>
let sessions: Session[]
let db: Db

beforeAll(async () => {
  const cloned = await cloneDatabase(inject('postgres'))
  ;({ url } = cloned)
  drop = () => cloned.drop()
  db = await openTestPostgres(url)
  sessions = await Promise.all(Array.from({ length: SESSIONS }, () => openSession(url, db.schema)))
})
afterAll(async () => {
  await Promise.all((sessions ?? []).map((each) => each.close()))
  await db?.close()
  await drop?.()
})

const nothing = [null]
const take = (at: Session, token: string) =>
  at.query<{ fences: (string | null)[] }>(
    'select fences from lockstep_lease_acquire($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)',
    [
      'race',
      ['lock'],
      [token],
      ['mutex'],
      [1],
      nothing,
      [60_000],
      [3],
      ['{}'],
      nothing,
      nothing,
      nothing,
      nothing,
      nothing,
    ],
  )
const leave = (at: Session, token: string) =>
  at.query('select released from lockstep_lease_release($1, $2, $3, $4)', ['race', ['lock'], [token], [true]])

it('lets one of 64 sessions in at a time, with fences that rise and blocks that do not overlap', async () => {
  let inside = 0
  const fences: bigint[] = []
  await Promise.all(
    sessions.map(async (session, index) => {
      for (let round = 0; round < 20; round += 1) {
        const token = `${index}.${round}`
        const [row] = await take(session, token)
        const fence = row!.fences[0]
        if (fence == null) continue
        inside += 1
        expect(inside).toBe(1)
        fences.push(BigInt(fence))
        await session.query('select 1')
        inside -= 1
        await leave(session, token)
      }
    }),
  )
  expect(fences.length).toBeGreaterThan(1)
  for (const [i, fence] of fences.entries()) if (i > 0) expect(fence).toBeGreaterThanOrEqual(fences[i - 1]! + 3n)
})

it('serves 64 waiters of eight processes one after the other, while rows are swept away under them', async () => {
  const dbs = await Promise.all(Array.from({ length: 8 }, () => openTestPostgres(url)))
  const providers = dbs.map((each) => postgresCoordination(each, { ...edge, namespace: 'crowd' }))
  let inside = 0
  const fences: bigint[] = []
  let isOver = false
  const sweeping = (async () => {
    while (!isOver) await sessions[0]!.query('select lockstep_lease_sweep($1, $2, 100, 0, 1000)', ['crowd', ''])
  })()
  await Promise.all(
    providers.map(async ({ leases }, index) => {
      const grants = new Map<string, (fence: bigint) => void>()
      await leases.listen(`process ${index}`, {
        onNotice: (notice) => {
          if (notice.kind === 'granted') grants.get(notice.token)?.(notice.fence)
        },
        onGap: () => {},
      })
      const visit = async (place: number): Promise<void> => {
        const request: LeaseRequest = {
          ...{ name: 'lock', token: `${index}.${place}`, kind: 'mutex', share: { kind: 'mutex' } },
          ...{ ttlMs: 60_000, fenceCount: 2, holder: '{}' },
          wait: { address: `process ${index}`, priority: 0, aliveMs: 60_000, grantTtlMs: 60_000 },
        }
        const granted = new Promise<bigint>((resolve) => grants.set(request.token, resolve))
        const answer = (await leases.acquire([request])).answers[0]!
        const fence = answer.status === 'granted' ? answer.fence : await granted
        inside += 1
        expect(inside).toBe(1)
        fences.push(fence)
        await leases.renew([{ ...request, ttlMs: 60_000 }])
        inside -= 1
        expect((await leases.release([request])).answers).toEqual(['released'])
      }
      await Promise.all(Array.from({ length: 8 }, (_, place) => visit(place)))
    }),
  )
  isOver = true
  await sweeping
  expect(fences).toHaveLength(SESSIONS)
  for (const [i, fence] of fences.entries()) if (i > 0) expect(fence).toBeGreaterThanOrEqual(fences[i - 1]! + 2n)
  for (const each of providers) await each.close()
  for (const each of dbs) await each.close()
})
