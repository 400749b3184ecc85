import { statement } from '../db/statement.ts'

export interface HolderRow {
  readonly token: string
  readonly share: 'mutex' | 'read' | 'write' | 'permits'
  readonly weight: number
  readonly max: number | null
  /** int8 as text. */
  readonly fence: string
  readonly acquiredAt: number
  readonly expiresAt: number
  readonly holder: string
}

export interface WaiterRow extends Pick<HolderRow, 'token' | 'share' | 'weight' | 'max' | 'holder'> {
  readonly priority: number
  readonly since: number
}

export interface LockRow {
  readonly name: string
  readonly kind: 'mutex' | 'read-write' | 'semaphore'
  readonly max: number | null
  readonly holders: readonly HolderRow[] | null
  readonly waiters: readonly WaiterRow[] | null
  readonly waiting: number
}

/** What is alive of one row `l`: all holders, the first twenty who wait, and how many there are. */
const state = `
  l.name, l.kind, l.max,
  (select json_agg(json_build_object('token', h.token, 'share', h.share, 'weight', h.weight, 'max', l.max, 'fence', h.fence::text,
            'acquiredAt', lockstep_lease_ms(h.acquired_at), 'expiresAt', lockstep_lease_ms(h.expires_at), 'holder', h.holder) order by h.fence)
     from lease_held h where h.namespace = l.namespace and h.name = l.name and h.expires_at > clock_timestamp()) as holders,
  (select json_agg(json_build_object('token', w.token, 'share', w.share, 'weight', w.weight, 'max', l.max, 'priority', w.priority,
            'since', lockstep_lease_ms(w.since), 'holder', w.holder) order by w.priority desc, w.place)
     from (select * from lease_waiter x where x.namespace = l.namespace and x.name = l.name and x.alive_until > clock_timestamp()
            order by x.priority desc, x.place limit 20) w) as waiters,
  (select count(*)::int4 from lease_waiter w where w.namespace = l.namespace and w.name = l.name and w.alive_until > clock_timestamp()) as waiting`

export interface PageRow extends LockRow {
  readonly scanned: number
  /** The last name that was looked at; null when there was none. */
  readonly last: string | null
}

/**
 * A range of the primary key. Looks at no more than `scan` rows, most of which may be free ones that the sweeper has not
 * taken yet, and answers at most `limit` that are in use; one row without a name when there are none.
 */
export const list = statement<
  { namespace: string; from: string; after: string; below: string; limit: number; scan: number },
  PageRow | (Pick<PageRow, 'scanned' | 'last'> & { readonly name: null })
>(
  'lease_list',
  (p) => [p.namespace, p.from, p.after, p.below, p.limit, p.scan],
  `with seen as materialized (
     select * from lease_lock where namespace = $1 and name >= $2 and name > $3 and name < $4 order by name limit $6)
   select s.scanned, s.last, p.*
     from (select count(*)::int4 as scanned, max(name) as last from seen) s
     left join lateral (
       select ${state} from seen l
        where l.expires_at > clock_timestamp() or l.waiting > 0
           or l.kind <> 'mutex' and exists (select from lease_holder h
                where h.namespace = l.namespace and h.name = l.name and h.expires_at > clock_timestamp())
        order by l.name limit $5) p on true`,
  { readOnly: true },
)

export const read = statement<{ namespace: string; name: string }, LockRow>(
  'lease_read',
  (p) => [p.namespace, p.name],
  `select ${state} from lease_lock l where l.namespace = $1 and l.name = $2`,
  { readOnly: true },
)

export const readLimit = statement<{ namespace: string; name: string }, { max: number }>(
  'lease_read_limit',
  (p) => [p.namespace, p.name],
  'select max from lease_limit where namespace = $1 and name = $2',
  { readOnly: true },
)

export interface EventRow {
  readonly at: number
  readonly kind: 'granted' | 'released' | 'expired' | 'broken'
  readonly holder: string
  readonly fence: string
  readonly reason: string | null
  readonly by: string | null
}

/** What was recorded, and those who hold now: their grant may have been too quick to be recorded. */
export const history = statement<{ namespace: string; name: string; limit: number }, EventRow>(
  'lease_history',
  (p) => [p.namespace, p.name, p.limit],
  `select lockstep_lease_ms(e.at) as at, e.kind, e.holder, e.fence, e.reason, e.by
     from ((select at, kind, holder, fence, reason, by, id from lease_event where namespace = $1 and name = $2 order by id desc limit $3)
           union all
           select h.acquired_at, 'granted', h.holder, h.fence, null, null, null
             from lease_held h
            where h.namespace = $1 and h.name = $2
              and not exists (select from lease_event g where g.namespace = $1 and g.name = $2 and g.kind = 'granted' and g.fence = h.fence)) e
    order by e.at desc, e.fence desc, e.id desc limit $3`,
  { readOnly: true },
)

/** The row of the name and those of its holders. Ends the leases, tells, hands on. */
export const breakLock = statement<{ namespace: string; name: string; reason: string; by: string }, HolderRow>(
  'lease_break',
  (p) => [p.namespace, p.name, p.reason, p.by],
  `select token, share, weight, max, fence, lockstep_lease_ms(acquired_at) as "acquiredAt", lockstep_lease_ms(expires_at) as "expiresAt", holder
     from lockstep_lease_break($1, $2, $3, $4)`,
)

/** Changes nothing; sends a message to each holder that can be told. */
export const askToYield = statement<{ namespace: string; name: string; reason: string }, HolderRow>(
  'lease_ask_to_yield',
  (p) => [p.namespace, p.name, p.reason],
  `select h.token, h.share, h.weight, l.max, h.fence, lockstep_lease_ms(h.acquired_at) as "acquiredAt",
          lockstep_lease_ms(h.expires_at) as "expiresAt", h.holder,
          case when h.tell is not null
               then pg_notify(h.tell, json_build_object('kind', 'yield', 'name', h.name, 'token', h.token, 'reason', left($3, 500))::text) end as told
     from lease_lock l join lease_held h on h.namespace = l.namespace and h.name = l.name
    where l.namespace = $1 and l.name = $2 and h.expires_at > clock_timestamp() order by h.fence`,
)

/** Answers the kind in the way, or null. */
export const resize = statement<{ namespace: string; name: string; max: number }, { inUseAs: string | null }>(
  'lease_resize',
  (p) => [p.namespace, p.name, p.max],
  'select lockstep_lease_resize($1, $2, $3) as "inUseAs"',
)
