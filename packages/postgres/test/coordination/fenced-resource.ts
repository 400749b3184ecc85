import type { FencedResource } from '@lockstep/testing/contracts'
import { type Db, fencedWrite, fenceGuard, requireFenced, statement } from '../../src/index.ts'

const write = statement<{ id: string; value: string }>(
  'test_resource_write',
  (p) => [p.id, p.value],
  'insert into resource (id, value) values ($1, $2) on conflict (id) do update set value = excluded.value',
)
const read = statement<{ id: string }, { value: string | null }>(
  'test_resource_read',
  (p) => [p.id],
  'select value from resource where id = $1',
  { readOnly: true },
)
const make = statement<{ id: string }>(
  'test_resource_make',
  (p) => [p.id],
  'insert into resource (id) values ($1) on conflict do nothing',
)
const { set, where } = fencedWrite('$3')
const writeFenced = statement<{ id: string; value: string; fence: bigint }>(
  'test_resource_write_fenced',
  (p) => [p.id, p.value, p.fence],
  `update resource set value = $2, ${set} where id = $1 and ${where}`,
)

async function emptyResources(db: Db): Promise<Pick<FencedResource, 'read' | 'close'>> {
  await db.script(
    'create table if not exists resource (id text primary key, value text, fence bigint not null default 0); truncate resource, fence_guard',
  )
  return {
    read: async (id) => (await db.maybeOne(read, { id }))?.value ?? undefined,
    close: async () => {},
  }
}

/** The guard in a row of its own, in the transaction of the write. */
export async function guardRows(db: Db): Promise<FencedResource> {
  return {
    ...(await emptyResources(db)),
    write: (resource, fence, value) =>
      db.transaction(async (tx) => {
        await fenceGuard(tx, { resource, fence })
        await tx.run(write, { id: resource, value })
      }),
  }
}

/** The fence in a column of the row that is written, in one statement. */
export async function guardedColumn(db: Db): Promise<FencedResource> {
  return {
    ...(await emptyResources(db)),
    write: async (resource, fence, value) => {
      await db.run(make, { id: resource })
      requireFenced(await db.run(writeFenced, { id: resource, value, fence }), { resource, fence })
    },
  }
}
