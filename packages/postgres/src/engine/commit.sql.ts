import { statement } from '../db/statement.ts'
import type { CommitColumns } from './commit-columns.ts'
import { foundDefinitions } from './published-only.sql.ts'

export interface CommitAnswer {
  readonly at: number
  readonly started: readonly string[]
  readonly versions: readonly number[]
  readonly lost: readonly number[]
  readonly stimulated: readonly number[]
  readonly woken: number
}

/**
 * The whole batch in one call of migration 0003's function. Raises LS001 when the node was buried, LS002 when it is strict and
 * an item is refused, 23505 on flush_pkey when it was applied before.
 */
export const commit = statement<CommitColumns, CommitAnswer>(
  'engine_commit',
  commitValues,
  `select * from lockstep_commit(
     $1, $2,
     $3, $4, ${foundDefinitions('$4', '$5', '$66')}, $6, $7, $8, $9, $10, $11, $12, $13, $14,
     $15, $16, $17, $18, $19, $20, $21, $22,
     $23, $24, $25, $26,
     $27, $28, $29, $30,
     $31, $32, $33,
     $34, $35, $36, $37, $38, $39, $40, $41, $42,
     $43, $44,
     $45, $46,
     $47, $48, $49, $50, $51, $52, $53,
     $54, $55, $56, $57, $58, $59,
     $60, $61, $62, $63,
     $64, $65)`,
)

/** The same for a batch in which instances change their correlation id: the function of migration 0011. */
export const commitCorrelated = statement<CommitColumns, CommitAnswer>(
  'engine_commit_correlated',
  (c) => [...commitValues(c), c.correlate.item, c.correlate.correlation],
  `select * from lockstep_commit_correlated(
     $1, $2,
     $3, $4, ${foundDefinitions('$4', '$5', '$66')}, $6, $7, $8, $9, $10, $11, $12, $13, $14,
     $15, $16, $17, $18, $19, $20, $21, $22,
     $23, $24, $25, $26,
     $27, $28, $29, $30,
     $31, $32, $33,
     $34, $35, $36, $37, $38, $39, $40, $41, $42,
     $43, $44,
     $45, $46,
     $47, $48, $49, $50, $51, $52, $53,
     $54, $55, $56, $57, $58, $59,
     $60, $61, $62, $63,
     $64, $65,
     $67, $68)`,
)

function commitValues(c: CommitColumns): readonly unknown[] {
  return [
    c.node,
    c.flushNo,
    c.start.id,
    c.start.tenant,
    c.start.definition,
    c.start.version,
    c.start.correlation,
    c.start.dedupe,
    c.start.parent,
    c.start.parentStep,
    c.start.queue,
    c.start.claimed,
    c.start.dueIn,
    json(c.start.data),
    c.item.id,
    c.item.tenant,
    c.item.claim,
    c.item.prev,
    c.item.stim,
    c.item.mode,
    c.item.dueAt,
    c.item.dueIn,
    c.fact.item,
    c.fact.seq,
    c.fact.kind,
    json(c.fact.data),
    c.status.item,
    c.status.status,
    c.status.seq,
    c.status.ended,
    c.snapshot.item,
    c.snapshot.seq,
    json(c.snapshot.data),
    c.bookmark.item,
    c.bookmark.id,
    c.bookmark.step,
    c.bookmark.kind,
    c.bookmark.name,
    c.bookmark.correlation,
    c.bookmark.hash,
    c.bookmark.token,
    c.bookmark.expiresIn,
    c.close.item,
    c.close.bookmark,
    c.consume.item,
    c.consume.message,
    c.event.item,
    c.event.id,
    c.event.tenant,
    c.event.name,
    c.event.correlation,
    c.event.ttl,
    json(c.event.payload),
    c.incident.item,
    c.incident.id,
    c.incident.step,
    c.incident.fingerprint,
    c.incident.code,
    c.incident.message,
    c.parent.item,
    c.parent.id,
    c.parent.step,
    json(c.parent.payload),
    c.survived,
    c.strict,
    c.start.published,
  ]
}

/** Texts of JSON values as one JSON array: the server splits it in step with the other columns, and nothing is escaped twice. */
const json = (texts: readonly string[]): string => `[${texts.join(',')}]`

/** What a batch answered when it was applied the first time. */
export const appliedFlush = statement<
  { node: string; flushNo: number },
  { at: number; lost: readonly number[] | null; stimulated: readonly number[] | null }
>(
  'engine_applied_flush',
  (p) => [p.node, p.flushNo],
  'select extract(epoch from at)::float8 * 1000 as at, lost, stimulated from flush where node_id = $1 and n = $2',
  { readOnly: true },
)

/** Versions of those starts of a batch that became instances. */
export const startedVersions = statement<{ ids: readonly string[] }, { id: string; version: number }>(
  'engine_started_versions',
  (p) => [p.ids],
  'select id, version from instance where id = any ($1::uuid[])',
  { readOnly: true },
)

/** Who holds the dedupe keys of refused starts. Its own statement: the winner may have committed while the batch ran. */
export const dedupeOwners = statement<
  { tenants: readonly string[]; definitions: readonly string[]; keys: readonly string[] },
  { ord: number; id: string }
>(
  'engine_dedupe_owners',
  (p) => [p.tenants, p.definitions, p.keys],
  `select k.ord::integer as ord, i.id
     from unnest($1::text[], $2::text[], $3::text[]) with ordinality as k(tenant, definition, key, ord)
     join instance i on i.tenant = k.tenant and i.definition_id = k.definition and i.dedupe_key = k.key`,
  { readOnly: true },
)

/** Numbers that nobody will send again. By primary key. */
export const trimFlushes = statement<{ node: string; before: number }>(
  'engine_trim_flushes',
  (p) => [p.node, p.before],
  'delete from flush where node_id = $1 and n < $2',
)
