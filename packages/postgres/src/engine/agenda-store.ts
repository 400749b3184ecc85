import { groupBy } from '@lockstep/base'
import {
  type AgendaStore,
  type Claim,
  Fenced,
  type Inbox,
  type InboxMessage,
  isReadableSnapshot,
  type LoadedInstance,
  type RecordedFact,
} from '@lockstep/engine/ports'
import type { Db, Lane } from '../db/db.ts'
import { sqlstateOf } from '../db/errors.ts'
import * as sql from './agenda.sql.ts'
import { FENCED } from './fenced.ts'

/** Facts read at once: bounds the memory of a load, whatever the instances have been through. */
const PAGE = 5_000

export function postgresAgenda(db: Db): AgendaStore {
  const control = db.lane('control')
  const work = db.lane('work')
  /** Where the turn of the tenants stands, for this process. Each has its own: they pass by what others hold. */
  let after = ''
  return {
    claim: async ({ nodeId: node, ...request }) => {
      try {
        const rows = await control.many(sql.claim, { node, newLimit: request.limit, ...request, after })
        after = rows.find((row) => row.ring != null)?.ring ?? after
        return rows.map(toClaim).sort((a, b) => a.dueInMs - b.dueInMs)
      } catch (error) {
        if (sqlstateOf(error) === FENCED) throw new Fenced({ nodeId: node }, { cause: error })
        throw error
      }
    },
    claims: (node) =>
      control.transaction(async (tx) => {
        await tx.run(sql.lockNode, { node })
        return (await tx.many(sql.claims, { node })).map(toClaim)
      }),
    load: (ids) => load(work, ids),
    inbox: async (ids) => toInboxes(await work.many(sql.inbox, { ids })),
    release: async (node, ids) => {
      await control.run(sql.release, { node, ids: [...ids].sort() })
    },
  }
}

export const toClaim = (row: sql.ClaimRow): Claim => ({
  tenant: row.tenant,
  instanceId: row.instance_id,
  claimNo: row.claim_no,
  stim: row.stim,
  crashes: row.crashes,
  dueInMs: row.due_in,
  messages: row.messages?.map((m) => ({ ...m, bookmarkId: m.bookmarkId ?? undefined, step: m.step ?? undefined })),
})

const NO_SNAPSHOT = { snapshot: null, snapshot_seq: 0, snapshot_at: null }

async function load(lane: Lane, ids: readonly string[]): Promise<LoadedInstance[]> {
  const [rows, bookmarks] = await Promise.all([lane.many(sql.instances, { ids }), lane.many(sql.bookmarks, { ids })])
  const instances = rows.map((row) => (isReadableSnapshot(row.snapshot) ? row : { ...row, ...NO_SNAPSHOT }))
  const facts = await loadFacts(lane, instances)
  const outside = groupBy(bookmarks, (row) => row.instance_id)
  return instances.map((row) => ({
    tenant: row.tenant,
    instanceId: row.id,
    definitionId: row.definition_id,
    version: row.version,
    correlationId: row.correlation_id ?? undefined,
    parentId: row.parent_id ?? undefined,
    parentStep: row.parent_step ?? undefined,
    status: row.status,
    snapshot: row.snapshot,
    snapshotSeq: row.snapshot_seq,
    snapshotAt: row.snapshot_at ?? undefined,
    facts: facts.get(row.id) ?? [],
    ...standing(outside.get(row.id) ?? []),
  }))
}

function standing(rows: readonly sql.BookmarkRow[]): Pick<LoadedInstance, 'openBookmarks' | 'stim'> {
  const openBookmarks = rows.flatMap(({ id, step, hash }) => (id === null ? [] : [{ id, step, hash }]))
  return { openBookmarks, stim: rows[0]?.stim ?? 0 }
}

async function loadFacts(lane: Lane, instances: readonly sql.InstanceRow[]): Promise<Map<string, RecordedFact[]>> {
  const found = new Map<string, RecordedFact[]>()
  const after = new Map(instances.map((row) => [row.id, row.snapshot_seq]))
  for (;;) {
    const wanted = [...after].sort(([a], [b]) => (a < b ? -1 : 1))
    const page = await lane.many(sql.facts, {
      ids: wanted.map(([id]) => id),
      after: wanted.map(([, seq]) => seq),
      limit: PAGE,
    })
    for (const row of page) {
      const list = found.get(row.instance_id)
      if (list === undefined) found.set(row.instance_id, [row])
      else list.push(row)
    }
    const last = page.at(-1)
    if (page.length < PAGE || last === undefined) return found
    // Ordered by instance: everything before the last one of the page is complete.
    for (const [id] of wanted) if (id < last.instance_id) after.delete(id)
    after.set(last.instance_id, last.seq)
  }
}

function toInboxes(rows: readonly sql.InboxRow[]): Inbox[] {
  return [...groupBy(rows, (row) => row.instance_id)].map(([instanceId, group]) => ({
    instanceId,
    stim: group[0]!.stim,
    messages: group.flatMap(toMessage),
  }))
}

function toMessage(row: sql.InboxRow): InboxMessage[] {
  if (row.id === null || row.kind === null) return []
  return [
    {
      id: row.id,
      kind: row.kind,
      bookmarkId: row.bookmark_id ?? undefined,
      step: row.step ?? undefined,
      payload: row.payload,
    },
  ]
}
