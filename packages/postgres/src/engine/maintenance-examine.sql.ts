import type { Area } from '@lockstep/engine/ports'
import { type Statement, statement } from '../db/statement.ts'

export interface ExaminedRow {
  readonly looked: number
  readonly last: string | null
  readonly broken:
    | readonly {
        code: string
        tenant: string
        key: string
        instanceId: string | null
        detail: string
        present: readonly string[] | null
      }[]
    | null
}

/** A page of `source` with what is wrong with its rows; at most 1,000 of these. `last` is where the page ended. */
const examine = (
  area: Area,
  page: string,
  broken: string,
): Statement<{ after: string | undefined; limit: number }, ExaminedRow> =>
  statement(
    `maintenance_examine_${area}`,
    (p) => [p.after, p.limit],
    `with page as materialized (${page}), broken as (${broken})
     select (select count(*)::integer from page) as looked, (select p.cursor from page p order by p.place desc limit 1) as last,
            (select json_agg(json_build_object('code', b.code, 'tenant', b.tenant, 'key', b.key, 'instanceId', b.instance_id, 'detail', b.detail, 'present', b.present))
               from (select * from broken limit 1000) b) as broken`,
    { readOnly: true },
  )

/** By primary key, the last 1,000 facts of each. */
export const examineInstances = examine(
  'instances',
  `select i.*, i.id::text as cursor, row_number() over (order by i.id) as place
     from (select * from instance x where $1::text is null or x.id > $1::uuid order by x.id limit $2) i`,
  `select c.code, p.tenant, p.id::text as key, p.id as instance_id, c.detail, o.steps as present
     from page p
    cross join lateral (
      select count(*)::integer as facts, min(t.seq) as first, max(t.seq) as last
        from (select j.seq from journal j where j.instance_id = p.id order by j.seq desc limit 1000) t) j
     left join lateral (select t.state from flow_ticket t where t.tenant = p.tenant and t.instance_id = p.id and t.state <> 'admitted' offset 0) f on true
    cross join lateral (
      select p.finished_at is null and p.status not in ('quarantined', 'paused') and f.state is null
         and not exists (select 1 from agenda a where a.instance_id = p.id)
         and not exists (select 1 from bookmark b where b.instance_id = p.id)
         and not exists (select 1 from instance k where k.parent_id = p.id and k.parent_step is not null and k.finished_at is null) as is_so) s
    cross join lateral (
      select p.finished_at is null and p.status <> 'quarantined' and f.state is null as is_alive,
             case when p.finished_at is null then
               array(select b.step from bookmark b where b.instance_id = p.id
                     union select m.step from inbox m where m.instance_id = p.id and m.bookmark_id is not null and m.step is not null) end as steps) o
    cross join lateral (
      -- What its facts say last of each step. Where an operator changed which of them count, only the fold can tell.
      select bool_or(t.is_so) as is_so from (
        select distinct on (x.step) x.is_revised or x.kind = 'waiting' and x.bookmark is not null and not (x.step = any (o.steps)) as is_so
          from (select y.*, bool_or(y.kind in ('rewound', 'migrated', 'retried', 'forked')) over () as is_revised
                  from (select j.seq, j.kind, j.data ->> 'step' as step, j.data ->> 'bookmark' as bookmark
                          from journal j where j.instance_id = p.id and o.is_alive order by j.seq desc limit 1000) y) x
         order by x.step, x.seq desc) t) w
    cross join lateral (values
      ('STRANDED', s.is_so, p.status || ', nothing to do and nothing to wait for'),
      ('BOOKMARK_LOST', w.is_so and not s.is_so, p.status || ', waits where nobody can reach it'),
      ('JOURNAL_GAP', f.state is distinct from 'gathering' and (j.facts = 0 or j.last - j.first + 1 <> j.facts or (j.facts < 1000 and j.first <> 1) or (p.finished_at is not null and j.last <> p.last_seq)),
       j.facts || ' facts from ' || coalesce(j.first, 0) || ' to ' || coalesce(j.last, 0) || ', the instance says ' || p.last_seq)
    ) as c(code, is_so, detail)
    where c.is_so`,
)

/** By primary key. */
export const examineAgenda = examine(
  'agenda',
  `select a.*, a.instance_id::text as cursor, row_number() over (order by a.instance_id) as place
     from (select * from agenda x where $1::text is null or x.instance_id > $1::uuid order by x.instance_id limit $2) a`,
  `select c.code, p.tenant, p.instance_id::text as key, p.instance_id, c.detail, null::text[] as present
     from page p
     left join lateral (select x.id, x.status, x.finished_at from instance x where x.id = p.instance_id offset 0) i on true
     left join lateral (select x.id from node x where x.id = p.claimed_by offset 0) n on true
    cross join lateral (values
      ('AGENDA_WITHOUT_INSTANCE', i.id is null, 'on the agenda of queue ' || p.queue),
      ('AGENDA_OF_FINISHED', i.finished_at is not null, coalesce(i.status, '') || case when n.id is null then '' else ', held by a living node' end),
      ('CLAIM_OF_DEAD_NODE', p.claimed_by is not null and n.id is null, 'claim ' || p.claim_no || ' of node ' || coalesce(p.claimed_by::text, ''))
    ) as c(code, is_so, detail)
    where c.is_so`,
)

/**
 * By primary key. The row of a task follows the bookmark in a commit of its own: what is young, and in somebody's hands or about to be, may still get it;
 * what stands still gets it when it goes on.
 */
export const examineBookmarks = examine(
  'bookmarks',
  `select b.*, b.id::text as cursor, row_number() over (order by b.id) as place
     from (select * from bookmark x where $1::text is null or x.id > $1::uuid order by x.id limit $2) b`,
  `select c.code, p.tenant, p.id::text as key, p.instance_id, p.kind || ' "' || p.name || '"' as detail, null::text[] as present
     from page p left join lateral (select x.id, x.status, x.finished_at from instance x where x.id = p.instance_id offset 0) i on true
    cross join lateral (values
      ('BOOKMARK_WITHOUT_INSTANCE', i.id is null),
      ('BOOKMARK_OF_FINISHED', i.finished_at is not null),
      ('TASK_LOST', p.kind in ('task', 'human') and i.id is not null and i.finished_at is null and i.status not in ('quarantined', 'paused')
         and not exists (select 1 from task t where t.tenant = p.tenant and t.id = p.id and t.status = 'open')
         and not exists (select 1 from human_task t where t.tenant = p.tenant and t.id = p.id and t.status = 'open')
         and (p.created_at < (select clock_timestamp()) - interval '1 minute'
              or not exists (select 1 from agenda a where a.instance_id = p.instance_id
                                and (a.claimed_by is not null or a.due_at <= (select clock_timestamp())))))
    ) as c(code, is_so)
    where c.is_so`,
)

/** By primary key. */
export const examineInbox = examine(
  'inbox',
  `select m.*, m.instance_id || '/' || m.id as cursor, row_number() over (order by m.instance_id, m.id) as place
     from (select x.instance_id, x.id, x.tenant, x.kind from inbox x
            where $1::text is null or (x.instance_id, x.id) > (split_part($1, '/', 1)::uuid, split_part($1, '/', 2)::bigint)
            order by x.instance_id, x.id limit $2) m`,
  `select c.code, p.tenant, p.instance_id || '/' || p.id as key, p.instance_id, p.kind as detail, null::text[] as present
     from page p
     left join lateral (select x.id, x.finished_at, x.status from instance x where x.id = p.instance_id offset 0) i on true
     left join lateral (select x.stim from agenda x where x.instance_id = p.instance_id offset 0) a on true
    cross join lateral (values
      ('INBOX_WITHOUT_INSTANCE', i.id is null), ('INBOX_OF_FINISHED', i.finished_at is not null),
      -- What stands still keeps its messages until it goes on.
      ('MESSAGE_NOT_COUNTED', i.id is not null and i.finished_at is null and i.status not in ('paused', 'quarantined') and coalesce(a.stim, 0) = 0)
    ) as c(code, is_so)
    where c.is_so`,
)

/** By primary key. A trigger that may have run out, or hears of other runs, needs no next time. */
export const examineSchedules = examine(
  'schedules',
  `select s.*, s.id || E'\\x01' || s.tenant as cursor, row_number() over (order by s.id, s.tenant) as place
     from (select x.id, x.tenant, x.paused, x.due_at, x.wake_at, x.after_jobs, x.document from schedule x
            where $1::text is null or (x.id, x.tenant) > (split_part($1, E'\\x01', 1), split_part($1, E'\\x01', 2))
            order by x.id, x.tenant limit $2) s`,
  `select case when p.due_at is null then 'SCHEDULE_WITHOUT_NEXT' else 'SCHEDULE_ASLEEP' end as code, p.tenant, p.id as key, null::uuid as instance_id,
          case when p.due_at is null then 'no next time' else 'next at ' || p.due_at || ', and nobody is told' end as detail, null::text[] as present
     from page p
    where not p.paused and p.wake_at is null
      and (p.due_at is not null
           or p.after_jobs is null and p.document ->> 'endAt' is null
              and (p.document #> '{trigger,cron}' is not null or p.document #> '{trigger,interval}' is not null))`,
)
