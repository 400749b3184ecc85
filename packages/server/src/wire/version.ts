import type { Consumer, VersionSummary } from '@lockstep/engine'
import Type from 'typebox'
import { iso } from './iso.ts'
import { anything, instant, oneOf } from './schema.ts'

export const VersionNumber = Type.String({ pattern: '^[1-9][0-9]{0,8}$', description: 'From 1.' })

export const VersionItem = Type.Object({
  version: Type.Integer(),
  hash: Type.String({ description: 'SHA-256 of the canonical document.' }),
  publishedAt: instant(),
  current: Type.Boolean({ description: 'Whether new instances get this one.' }),
})

export const Count = Type.Object(
  { value: Type.Integer(), exact: Type.Boolean({ description: 'false: there may be more.' }) },
  { description: 'A count that stops somewhere.' },
)

export const Version = Type.Object({
  id: Type.String(),
  version: Type.Integer(),
  kind: oneOf(['graph', 'function']),
  hash: Type.String(),
  document: anything('null for functions.'),
  pinned: Count,
})

export const ConsumerItem = Type.Object({
  id: Type.String(),
  name: Type.String(),
  version: Type.Integer({ description: 'Its newest version that runs the workflow.' }),
  current: Type.Boolean({ description: 'Whether new instances of it do.' }),
})

const Change = Type.Object(
  {
    subject: oneOf(['activity', 'connection', 'variable', 'input', 'output', 'workflow']),
    change: oneOf(['added', 'removed', 'changed', 'renamed']),
    migration: oneOf(['safe', 'needs-care', 'breaks'], 'What it means for instances that run on the old version.'),
    reason: Type.String(),
  },
  { additionalProperties: true, description: 'What else it has depends on its subject.' },
)

export const Diff = Type.Object({
  migration: oneOf(['safe', 'needs-care', 'breaks'], 'The worst of all changes.'),
  changes: Type.Array(Change),
})

export const toWireVersion = (row: VersionSummary) => ({ ...row, publishedAt: iso(row.publishedAt) })

export const toWireConsumer = ({ id, name, version, current }: Consumer) => ({ id, name, version, current })
