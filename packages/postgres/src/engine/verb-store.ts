import { type EraseVerdict, Fenced, type NewBookmark, type VerbStore, type VerbVerdict } from '@lockstep/engine/ports'
import type { Db } from '../db/db.ts'
import { sqlstateOf } from '../db/errors.ts'
import { FENCED } from './fenced.ts'
import { unlessDeadlock } from './stimulus-store.ts'
import * as sql from './verb.sql.ts'

export function postgresVerbs(db: Db): VerbStore {
  const lane = db.lane('api')
  return {
    send: async (message) => toVerdict(await unlessDeadlock(() => lane.one(sql.send, message))),
    retry: async ({ messages, ...request }) => {
      const kinds = messages.map((message) => message.kind)
      const payloads = `[${messages.map((message) => message.payload).join(',')}]`
      return toVerdict(await unlessDeadlock(() => lane.one(sql.retry, { ...request, kinds, payloads })))
    },
    fork: async ({ opens, ...item }) => {
      const row = await lane.one(sql.fork, {
        node: item.nodeId,
        tenant: item.tenant,
        source: item.sourceId,
        at: item.atSeq,
        id: item.instanceId,
        version: item.version,
        correlation: item.correlationId,
        dedupe: item.dedupeKey,
        queue: item.queue,
        started: item.started.data,
        forked: item.forked.data,
        bookmark: bookmarkColumns(opens),
      })
      if (row.outcome === 'duplicate') return { kind: 'duplicate', instanceId: row.existing ?? '' }
      return { kind: row.outcome === 'forked' ? 'forked' : 'not-found' }
    },
    erase: async (request) => toErased(await unlessDeadlock(() => lane.one(sql.erase, request))),
    revise: async ({ nodeId: node, fact, renames, consumes, ...revision }) => {
      const from = renames.map((rename) => rename.from)
      const to = renames.map((rename) => rename.to)
      try {
        const row = { ...revision, node, kind: fact.kind, data: fact.data, from, to, messages: consumes }
        return (await unlessDeadlock(() => lane.one(sql.revise, row))).written
      } catch (error) {
        if (sqlstateOf(error) === FENCED) throw new Fenced({ nodeId: node }, { cause: error })
        throw error
      }
    },
    handOver: async (node, instanceId, claimNo, queue) =>
      (await lane.run(sql.handOver, { node, instanceId, claimNo, queue })) === 1,
    pinned: async (tenant, definitionId, version, { after, lookAt }) => {
      const row = await lane.one(sql.pinned, { tenant, definitionId, version, after, lookAt })
      return { ids: row.ids ?? [], next: row.looked < lookAt ? undefined : (row.last ?? undefined) }
    },
    children: async (tenant, parentId, after, limit) =>
      (await lane.many(sql.children, { tenant, parentId, after, limit })).map((row) => row.id),
  }
}

function toVerdict({ outcome, detail }: sql.VerdictRow): VerbVerdict {
  switch (outcome) {
    case 'wrong-state':
      return { kind: 'wrong-state', status: detail ?? 'unknown' }
    case 'parent-told':
      return { kind: 'parent-told', parentId: detail ?? '' }
    case 'accepted':
    case 'already-requested':
    case 'done-before':
      return { kind: outcome }
    default:
      return { kind: 'not-found' }
  }
}

function toErased(row: sql.ErasedRow): EraseVerdict {
  const { outcome, detail, reason, rows: facts, incidents } = row
  switch (outcome) {
    case 'deleted':
      return { kind: outcome, facts, incidents }
    case 'wrong-state':
      return { kind: outcome, status: detail ?? 'unknown' }
    case 'held':
      return { kind: outcome, subject: detail ?? '*', reason: reason ?? undefined }
    case 'parent-lives':
      return { kind: outcome, parentId: detail ?? '' }
    case 'unsettled':
    case 'done-before':
      return { kind: outcome }
    default:
      return { kind: 'not-found' }
  }
}

const bookmarkColumns = (opens: readonly NewBookmark[]) => ({
  id: opens.map((each) => each.id),
  step: opens.map((each) => each.step),
  kind: opens.map((each) => each.kind),
  name: opens.map((each) => each.name),
  correlation: opens.map((each) => each.correlationId),
  hash: opens.map((each) => each.hash),
})
