import { statement } from '../db/statement.ts'
import { int4Array, uuidArray } from '../values/binary-array.ts'
import type { PlainColumns } from './plain-commit.ts'
import { foundDefinitions } from './published-only.sql.ts'

export interface PlainAnswer {
  readonly at: number
  /** Of each group of starts. */
  readonly versions: readonly number[]
}

/**
 * A plain batch in one call of migration 0007's function. Raises LS003 when it is not as plain as it looked (nothing was written),
 * LS001 when the node was buried, 23505 on flush_pkey when it was applied before.
 */
export const commitPlain = statement<PlainColumns, PlainAnswer>(
  'engine_commit_plain',
  (c) => [
    c.node,
    c.flushNo,
    c.tenant,
    c.group.definition,
    c.group.version,
    c.group.queue,
    uuidArray(c.start.id),
    int4Array(c.start.group),
    c.start.correlation,
    uuidArray(c.item.id),
    int4Array(c.item.prev),
    c.item.claims,
    int4Array(c.leave.item),
    c.leave.status,
    int4Array(c.leave.seq),
    int4Array(c.leave.claim),
    c.leave.stims,
    c.kinds,
    int4Array(c.fact.item),
    int4Array(c.fact.seq),
    int4Array(c.fact.claim),
    int4Array(c.fact.kind),
    `[${c.fact.data.join(',')}]`,
    c.group.published,
  ],
  `select * from lockstep_commit_plain(
     $1, $2, $3,
     ${foundDefinitions('array_fill($3::text, array[cardinality($4::text[])])', '$4', '$24')}, $5, $6,
     $7, $8, $9,
     $10, $11, $12,
     $13, $14, $15, $16, $17,
     $18, $19, $20, $21, $22, $23)`,
)
