import { toWireId } from '@lockstep/base'
import type { JournalRow } from '@lockstep/engine'
import Type from 'typebox'
import { anything } from './schema.ts'

export const JournalItem = Type.Object({
  seq: Type.Integer({ description: 'From 1, without gaps.' }),
  kind: Type.String(),
  at: Type.String({ format: 'date-time' }),
  nodeId: Type.String({ description: 'Node that wrote it.' }),
  claimNo: Type.Integer(),
  position: Type.String({ description: 'Place in the order of commits of the whole store.' }),
  data: anything('What the fact says.'),
})

export const toWireJournal = (row: JournalRow) => ({
  seq: row.seq,
  kind: row.kind,
  at: new Date(row.at).toISOString(),
  nodeId: toWireId('node', row.nodeId),
  claimNo: row.claimNo,
  position: String(row.position),
  data: row.data,
})
