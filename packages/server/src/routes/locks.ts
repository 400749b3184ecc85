import { tryFromWireId } from '@lockstep/base'
import Type from 'typebox'
import { LockIsInstance, LockNotFound } from '../problem/request-errors.ts'
import { fromCursor, toCursor } from '../request/cursor.ts'
import { isName } from '../request/ids.ts'
import { type ApiContext, route } from '../route/route.ts'
import { iso } from '../wire/iso.ts'
import { CursorParameter, DEFAULT_ITEMS, Limit, listOf } from '../wire/list.ts'
import {
  INSTANCE_LOCK,
  Lock,
  LockDetail,
  LockKey,
  type LockTelling,
  toWireHolder,
  toWireInstanceLock,
  toWireLock,
  toWireWaiter,
} from '../wire/lock.ts'
import { closed } from '../wire/schema.ts'

/** Cursors are `l` and a lock's name, or `i` and an instance: first all locks, then all instances. */
const KEY = /^[li][^\p{Cc}\p{Cs}]{0,512}$/u
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export const listLocks = route({
  method: 'GET',
  path: '/locks',
  name: 'listLocks',
  permission: 'locks:read',
  reach: 'cluster',
  summary: `Lists what is held or waited for: locks by name, then instances that a node has in hand, as ${INSTANCE_LOCK}{id}.`,
  query: closed({
    prefix: Type.Optional(Type.String({ maxLength: 512, description: 'What the key begins with.' })),
    limit: Limit,
    cursor: CursorParameter,
  }),
  replies: { 200: listOf(Lock, { prev: 'Always null: this list is read forward.' }) },
  problems: ['INVALID_CURSOR', 'PROVIDER_UNAVAILABLE'],
  async handle(context, { query: { prefix = '', limit = DEFAULT_ITEMS, cursor } }) {
    const from = fromCursor(cursor, prefix, KEY)
    const part =
      from?.key[0] === 'i' ? { items: [], next: from.key } : await lockPart(context, prefix, from?.key, limit)
    const room = limit - part.items.length
    const rest = part.next?.startsWith('l')
      ? { items: [], next: part.next }
      : await instancePart(context, prefix, part.next, room)
    const items = [...part.items, ...rest.items]
    const seen = (from?.seen ?? 0) + items.length
    const next = rest.next === undefined ? null : toCursor({ key: rest.next, seen, back: false }, prefix)
    const count = { value: next === null ? seen : seen + 1, exact: next === null }
    return { status: 200, body: { items, page: { next, prev: null, limit }, count } }
  },
})

interface Part {
  readonly items: readonly object[]
  /** Where to go on. */
  readonly next: string | undefined
}

async function lockPart(context: ApiContext, prefix: string, from: string | undefined, limit: number): Promise<Part> {
  if (context.locks === undefined || !(prefix === '' || isName(prefix))) return { items: [], next: undefined }
  const { monitor } = context.locks()
  const after = from === undefined ? {} : { after: from.slice(1) }
  const { locks, next } = await monitor.list({ prefix, limit, ...after })
  if (locks.length === 0) return { items: [], next: undefined }
  const telling = await tell(
    context,
    locks.map(({ name }) => name),
  )
  return { items: locks.map((lock) => toWireLock(lock, telling)), next: next === undefined ? undefined : `l${next}` }
}

async function instancePart(
  { browse, tenant }: ApiContext,
  prefix: string,
  from: string | undefined,
  room: number,
): Promise<Part> {
  const fits = INSTANCE_LOCK.startsWith(prefix) || prefix.startsWith(INSTANCE_LOCK)
  if (!fits) return { items: [], next: undefined }
  const after = from === undefined || !UUID.test(from.slice(1)) ? undefined : from.slice(1)
  // With no room left, only whether there is anything to go on with.
  const { rows, lookedTo } = await browse.held(tenant, { from: after }, room + 1)
  const shown = rows.slice(0, room)
  const more = rows.length > room ? `i${shown.at(-1)?.instanceId ?? after ?? ''}` : lookedTo && `i${lookedTo}`
  const items = shown.map(toWireInstanceLock).filter(({ key }) => key.startsWith(prefix))
  return { items, next: more }
}

async function tell({ locks, clock, browse }: ApiContext, names: readonly string[]): Promise<LockTelling> {
  const [members, lines, waits] = await Promise.all([locks!().members(), browse.lockLines(names), browse.lockWaits()])
  // Lines are counted further than waits, which hold what stands in no line.
  const waiting = new Map(lines)
  for (const { name, instances } of waits) waiting.set(name, Math.max(instances, waiting.get(name) ?? 0))
  return { members: new Set(members.map(({ id }) => id)), now: clock.now(), lines: waiting }
}

export const getLock = route({
  method: 'GET',
  path: '/locks/:id',
  name: 'getLock',
  permission: 'locks:read',
  reach: 'cluster',
  summary: 'Who holds a lock, who waits for it, and who held it lately.',
  id: LockKey,
  replies: { 200: LockDetail },
  problems: ['LOCK_NOT_FOUND', 'INVALID_LOCK_NAME', 'PROVIDER_UNAVAILABLE'],
  async handle(context, { params: { id: key } }) {
    const detail = (await instanceLock(context, key)) ?? (await lockDetail(context, key))
    if (detail === undefined) throw new LockNotFound({ key: key.slice(0, 200) })
    return { status: 200, body: detail }
  },
})

async function instanceLock({ browse, tenant }: ApiContext, key: string) {
  const instanceId = key.startsWith(INSTANCE_LOCK)
    ? tryFromWireId('instance', key.slice(INSTANCE_LOCK.length))
    : undefined
  const held = instanceId === undefined ? undefined : await browse.holder(tenant, instanceId)
  return held && { ...toWireInstanceLock(held), held: [], queue: [], history: [] }
}

async function lockDetail(context: ApiContext, key: string) {
  if (context.locks === undefined || !isName(key)) return undefined
  const { monitor } = context.locks()
  const lock = await monitor.read(key)
  if (lock === undefined) return undefined
  const [telling, history] = [await tell(context, [key]), await monitor.history(key)]
  return {
    ...toWireLock(lock, telling),
    held: lock.holders.map((each) => toWireHolder(each, telling)),
    queue: lock.waiters.map(toWireWaiter),
    history: history.map((each) => ({
      at: iso(each.at),
      kind: each.kind,
      name: each.holder?.node ?? null,
      fence: String(each.fence),
      reason: each.reason ?? null,
      by: each.by ?? null,
    })),
  }
}

export const releaseLock = route({
  method: 'POST',
  path: '/locks/:id/release',
  name: 'releaseLock',
  permission: 'locks:release',
  reach: 'cluster',
  summary:
    'Takes a lock from whoever holds it, living or dead: its fence rises, so that late writes of the old holder are refused where fences are checked.',
  id: LockKey,
  body: closed({ reason: Type.String({ minLength: 1, maxLength: 1_000, description: 'Kept with the audit.' }) }),
  replies: {
    200: Type.Object({
      key: Type.String(),
      released: Type.Integer({ description: 'Leases that were ended.' }),
      lock: Type.Unsafe<unknown>({ ...LockDetail, type: ['object', 'null'], description: 'As it is now; null: free.' }),
    }),
  },
  problems: ['LOCK_NOT_FOUND', 'LOCK_IS_INSTANCE', 'INVALID_LOCK_NAME', 'PROVIDER_UNAVAILABLE'],
  async handle(context, { params: { id: key }, body: { reason } }) {
    const instance = await instanceLock(context, key)
    if (instance !== undefined) throw new LockIsInstance({ key, node: instance.holder.name ?? instance.holder.nodeId })
    if ((await lockDetail(context, key)) === undefined) throw new LockNotFound({ key: key.slice(0, 200) })
    const hit = await context.locks!().monitor.break(key, reason)
    if (hit.length > 0) await context.engine.lockBroken({ lock: key, reason, released: hit.length })
    return { status: 200, body: { key, released: hit.length, lock: (await lockDetail(context, key)) ?? null } }
  },
})
