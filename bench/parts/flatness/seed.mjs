/** The queue whose claims are timed. Nobody works in it, so nothing but the benchmark takes its rows. */
export const CLAIM_QUEUE = 'bench/claim'
/** The queue of the workflow under load. */
const LOAD_QUEUE = 'fn/three/1'

/** Ids that rise as real ones do (they begin with the time), from long ago: what is started now sorts after them. */
const id = (kind) => `('01700000-0000-7000-8${kind}00-' || lpad(to_hex(i), 12, '0'))::uuid`

/** Instances that wait for an event which never comes: a row and a bookmark each, nothing in the agenda. */
const suspended = [
  `insert into lockstep.instance (id, tenant, definition_id, version, correlation_id, queue, created_at, status, last_seq, claim_no)
   select ${id(0)}, 'default', 'waiter', 1, 'seed-' || i, 'fn/waiter/1', now(), 'suspended', 2, 1 from generate_series(1, $1::integer) i`,
  `insert into lockstep.bookmark (id, tenant, instance_id, step, kind, name, correlation_id, hash, created_at)
   select ${id(1)}, 'default', ${id(0)}, '@event:never', 'event', 'never', 'seed-' || i, md5(i::text), now() from generate_series(1, $1::integer) i`,
]

/** Sleepers that are due in a month, half of them in the queue under load, half in the one whose claims are timed. */
const sleeping = `
  insert into lockstep.agenda (instance_id, tenant, queue, due_at)
  select ${id(2)}, 'default', case when i % 2 = 0 then '${LOAD_QUEUE}' else '${CLAIM_QUEUE}' end, now() + interval '30 days' + i * interval '1 millisecond'
    from generate_series(1, $1::integer) i`

/** Fills a database as months of use would: `count` rows of each kind. */
export async function seed(session, count) {
  for (const statement of [...suspended, sleeping]) await session.query(statement, [count])
  // What autovacuum would have done by then.
  for (const table of ['instance', 'bookmark', 'agenda']) await session.query(`vacuum analyze lockstep.${table}`)
}

/** Rows that are due now, in the queue whose claims are timed. */
export async function addDue(session, count) {
  await session.query(
    `insert into lockstep.agenda (instance_id, tenant, queue, due_at)
     select ${id(3)}, 'default', '${CLAIM_QUEUE}', now() - interval '1 second' from generate_series(1, $1::integer) i`,
    [count],
  )
}

/** Takes them away again, with the dead entries that they leave in the index. */
export async function removeDue(session) {
  await session.query(`delete from lockstep.agenda where queue = '${CLAIM_QUEUE}' and due_at < now()`)
  await session.query('vacuum lockstep.agenda')
}
