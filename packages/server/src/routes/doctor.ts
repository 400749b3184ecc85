import type { Area, DoctorReport } from '@lockstep/engine'
import Type from 'typebox'
import { lockChecks } from '../doctor/lock-checks.ts'
import { storeChecks } from '../doctor/store-checks.ts'
import { InvalidCursor } from '../problem/request-errors.ts'
import { isName } from '../request/ids.ts'
import { route } from '../route/route.ts'
import { CursorParameter } from '../wire/list.ts'
import { closed, nullable, oneOf } from '../wire/schema.ts'

const AREAS: readonly Area[] = ['instances', 'agenda', 'bookmarks', 'inbox', 'schedules']

const Finding = Type.Object({
  code: Type.String(),
  count: Type.Integer(),
  examples: Type.Array(
    Type.Object({ tenant: Type.String(), key: Type.String(), instanceId: nullable('string'), detail: Type.String() }),
    { description: 'At most 20.' },
  ),
  meaning: Type.String(),
  safeToRepair: Type.Boolean(),
  repair: nullable('string', { description: 'What repair does, or did.' }),
  repaired: Type.Integer(),
})

const Report = Type.Object({
  healthy: Type.Boolean(),
  findings: Type.Array(Finding),
  looked: Type.Object(Object.fromEntries(AREAS.map((area) => [area, Type.Integer()])), {
    description: 'Rows that were looked at, by area.',
  }),
  next: nullable('string', { description: 'There is more: pass it as cursor. null: all was looked at.' }),
})

const Check = Type.Object({
  check: Type.String({
    description:
      'What was looked at: store, nodes, work, clock-skew, versions, lock-round-trip, eviction-policy and so on.',
  }),
  level: oneOf(['ok', 'warning', 'error']),
  finding: Type.String(),
  fix: nullable('string', { description: 'What to do about it; null where all is well.' }),
})

const LookAt = Type.Optional(
  Type.Integer({
    minimum: 1,
    maximum: 1_000_000,
    description: 'Most rows to look at in each area; 100,000 unless told.',
  }),
)

export const examine = route({
  method: 'GET',
  path: '/doctor',
  name: 'examineStore',
  permission: 'store:examine',
  reach: 'cluster',
  summary: 'Checks what must always hold in the store. Changes nothing.',
  query: closed({ lookAt: LookAt, cursor: CursorParameter }),
  replies: { 200: Report },
  problems: ['INVALID_CURSOR'],
  async handle({ engine }, { query: { cursor, ...query } }) {
    return { status: 200, body: toWireReport(await engine.doctor({ ...query, ...placeOf(cursor) })) }
  },
})

export const repair = route({
  method: 'POST',
  path: '/doctor',
  name: 'repairStore',
  permission: 'store:repair',
  reach: 'cluster',
  summary: 'Checks the same, and mends what can be mended without a doubt.',
  body: closed({ lookAt: LookAt, cursor: CursorParameter }),
  bodyOptional: true,
  replies: { 200: Report },
  problems: ['INVALID_CURSOR'],
  async handle({ engine }, { body: { cursor, ...wanted } }) {
    return { status: 200, body: toWireReport(await engine.doctor({ repair: true, ...wanted, ...placeOf(cursor) })) }
  },
})

export const checkCluster = route({
  method: 'GET',
  path: '/doctor/checks',
  name: 'checkCluster',
  permission: 'store:examine',
  reach: 'cluster',
  summary:
    'Checks the store, nodes, clocks, versions and the lock store of the node that answers. What is fine is said too.',
  replies: { 200: Type.Object({ checks: Type.Array(Check) }) },
  problems: [],
  async handle({ engine, browse, locks, clock }) {
    const [ofStore, ofLocks] = await Promise.all([
      storeChecks(() => browse.nodes(), engine.cluster.patience.goneMs, clock),
      locks === undefined ? [] : lockChecks(locks(), engine.nodeId, clock),
    ])
    const checks = [...ofStore, ...ofLocks].map(({ check, level, finding, fix }) => ({
      ...{ check, level, finding },
      fix: fix ?? null,
    }))
    return { status: 200, body: { checks } }
  },
})

function toWireReport({ healthy, findings, areas }: DoctorReport) {
  const more = AREAS.filter((area) => areas[area].next !== undefined)
  return {
    healthy,
    findings: findings.map((each) => ({
      ...each,
      examples: each.examples.map((example) => ({ ...example, instanceId: example.instanceId ?? null })),
      repair: each.repair ?? null,
    })),
    looked: Object.fromEntries(AREAS.map((area) => [area, areas[area].looked])),
    next:
      more.length === 0
        ? null
        : toText(Object.fromEntries(AREAS.map((area) => [area, areas[area].next ?? KEYS[area].end]))),
  }
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const message = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\/\d{1,18}$/
/** Between the id and the tenant of a schedule. */
const JOINT = '\u0001'
const LAST_UUID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** What keys of areas look like, and one that nothing stands behind: areas that were looked at to their end must not be begun again. */
const KEYS: Readonly<Record<Area, { readonly fits: (key: string) => boolean; readonly end: string }>> = {
  instances: { fits: (key) => uuid.test(key), end: LAST_UUID },
  agenda: { fits: (key) => uuid.test(key), end: LAST_UUID },
  bookmarks: { fits: (key) => uuid.test(key), end: LAST_UUID },
  inbox: { fits: (key) => message.test(key), end: `${LAST_UUID}/999999999999999999` },
  schedules: {
    fits: (key) => key.split(JOINT).every((part) => part === '' || isName(part)),
    end: `${'z'.repeat(200)}${JOINT}`,
  },
}

const toText = (places: object): string => Buffer.from(JSON.stringify(places)).toString('base64url')

function placeOf(cursor: string | undefined): { after?: Partial<Record<Area, string>> } {
  if (cursor === undefined) return {}
  const places = decode(cursor)
  if (AREAS.every((area) => typeof places?.[area] === 'string' && KEYS[area].fits(places[area])))
    return { after: places as Record<Area, string> }
  throw new InvalidCursor({ reason: 'it is not one of ours' })
}

function decode(cursor: string): Readonly<Record<string, unknown>> | null {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString())
  } catch {
    return null
  }
}
