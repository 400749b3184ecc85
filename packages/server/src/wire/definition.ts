import type { GraphProblem } from '@lockstep/engine'
import type { DefinitionStanding, ListedDefinition } from '@lockstep/engine/ports'
import Type from 'typebox'
import { DEFINITION_ID } from '../request/ids.ts'
import { toEtag } from './etag.ts'
import { anything, nullable, oneOf } from './schema.ts'

export const DefinitionId = Type.String({
  pattern: DEFINITION_ID,
  description: 'Chosen by the author, such as order-approval.',
})

/** Only what makes it a document: the engine checks the rest, and says more about it than a schema can. */
export const GraphDocument = Type.Object(
  {
    id: Type.String({ description: 'A slug, the same for every version.' }),
    name: Type.Optional(Type.String()),
    description: Type.Optional(Type.String()),
    tags: Type.Optional(
      Type.Array(Type.Unknown(), {
        description: 'What it is found and filtered by: at most 20, each 1 to 40 letters, digits and - _ . : /',
      }),
    ),
    input: Type.Optional(anything('JSON schema of the input.')),
    output: Type.Optional(anything('JSON schema of the output.')),
    variables: Type.Optional(anything('Values that steps can change, by name.')),
    activities: Type.Array(Type.Unknown(), { description: 'The steps.' }),
    connections: Type.Optional(Type.Array(Type.Unknown(), { description: 'Which outcome of which step leads where.' })),
  },
  { description: 'A workflow as it is drawn. Answered with every problem it has, each with its place.' },
)

export const GraphProblemItem = Type.Object({
  pointer: Type.String({ description: 'RFC 6901, into the document.' }),
  code: Type.String(),
  text: Type.String(),
  severity: oneOf(['error', 'warning']),
})

const Problems = Type.Array(GraphProblemItem, { description: 'What stands between the draft and a sound workflow.' })

export const Etag = Type.String({ description: 'Send it as If-Match with the next change.' })

export const DraftReply = Type.Object({
  id: Type.String(),
  draft: anything('The document.'),
  etag: Etag,
  problems: Problems,
})

export const PublishReply = Type.Object({
  id: Type.String(),
  version: Type.Integer({ description: 'From 1. The same document published again keeps its number.' }),
  hash: Type.String({ description: 'SHA-256 of the canonical document.' }),
})

export const SaveAndPublishReply = Type.Object({ ...PublishReply.properties, etag: Etag, problems: Problems })

export const DefinitionSummary = Type.Object({
  id: Type.String(),
  name: Type.String(),
  kind: oneOf(['graph', 'function']),
  version: nullable('integer', { description: 'The one that new instances get; null before it was published.' }),
  etag: Type.String({ description: 'Of the draft.' }),
  tags: Type.Array(Type.String(), {
    description: 'Of the draft, as its name is; of code, those it is registered with.',
  }),
})

export const DefinitionItem = Type.Object({
  ...DefinitionSummary.properties,
  updatedAt: Type.String({ format: 'date-time', description: 'When it was last saved, published or retracted.' }),
  updatedBy: nullable('string', { description: 'Who saved its draft last; null: nobody who was known by name.' }),
  state: oneOf(
    ['draft', 'published', 'ahead', 'retracted'],
    'ahead: it is published, and its draft says something else. retracted: it has versions, and none is published.',
  ),
  triggers: Type.Array(
    Type.Object({
      kind: oneOf(['schedule', 'event', 'http']),
      text: Type.String({ description: 'Id of the schedule, name of the event, or method and path.' }),
      when: anything('Of a schedule: when it fires; else null.'),
    }),
    { description: 'What starts the published version from outside, at most five of a kind.' },
  ),
})

export const toWireDraft = (id: string, draft: unknown, revision: number, problems: readonly GraphProblem[]) => ({
  id,
  draft,
  etag: toEtag(revision),
  problems,
})

export const toWireSummary = (row: {
  readonly id: string
  readonly name: string
  readonly kind: 'graph' | 'function'
  readonly published: number | undefined
  readonly revision: number
  readonly tags: readonly string[]
}) => ({
  id: row.id,
  name: row.name,
  kind: row.kind,
  version: row.published ?? null,
  etag: toEtag(row.revision),
  tags: row.tags,
})

export function toWireItem(row: ListedDefinition, standing: DefinitionStanding | undefined) {
  const { latest = 0, ahead = false, triggers = [] } = standing ?? {}
  const unpublished = latest === 0 ? 'draft' : 'retracted'
  return {
    ...toWireSummary(row),
    updatedAt: new Date(row.updatedAt).toISOString(),
    updatedBy: row.updatedBy ?? null,
    state: row.published === undefined ? unpublished : ahead ? 'ahead' : 'published',
    triggers: triggers.map(({ kind, text, when = null }) => ({ kind, text, when })),
  }
}

export function nameOf(id: string, document: unknown): string {
  const name = (document as { readonly name?: unknown } | null)?.name
  return typeof name === 'string' ? name : id
}
