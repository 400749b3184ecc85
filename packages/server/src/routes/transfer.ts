/** Definitions in and out as text: JSON, YAML, and what Elsa 3 exports. */
import type { Json } from '@lockstep/base'
import { type ConvertedElsa, fromElsa, type ImportReport } from '@lockstep/engine'
import Type from 'typebox'
import { ImportInvalid, MalformedJson } from '../problem/request-errors.ts'
import { definitionIdOf } from '../request/ids.ts'
import { checkSound } from '../request/sound-json.ts'
import { route } from '../route/route.ts'
import { DefinitionId } from '../wire/definition.ts'
import { toEtag } from '../wire/etag.ts'
import { anything, closed, flag, nullable, oneOf } from '../wire/schema.ts'

/** As much as the engine reads at once, see its limits of texts. */
const TEXT_LIMIT = 32 * 1_048_576

const TextProblemItem = Type.Object({
  pointer: Type.String(),
  code: Type.String(),
  text: Type.String(),
  severity: oneOf(['error', 'warning']),
  line: Type.Optional(Type.Integer({ description: 'Where it stands in the text, from 1.' })),
  column: Type.Optional(Type.Integer({ description: 'From 1.' })),
})

const ElsaReportReply = Type.Object({
  complete: Type.Boolean({ description: 'Nothing to look at.' }),
  activityCount: Type.Integer(),
  mappedCount: Type.Integer(),
  notes: Type.Array(
    Type.Object(
      {
        pointer: Type.String({ description: 'RFC 6901, into the Elsa document.' }),
        elsaType: Type.String(),
        kind: oneOf(['not-mapped', 'partly', 'missing-type']),
        reason: Type.String(),
        suggestion: Type.String(),
      },
      { additionalProperties: true },
    ),
  ),
})

const ImportReply = Type.Object({
  written: Type.Boolean({ description: 'false: nothing was, because a document is invalid or it was a dry run.' }),
  documents: Type.Array(
    Type.Object({
      index: Type.Integer({ description: 'Place in the text, from 0.' }),
      id: nullable('string'),
      outcome: oneOf(['created', 'new-draft', 'unchanged', 'invalid', 'conflict']),
      etag: nullable('string', { description: 'Of the draft.' }),
      problems: Type.Array(TextProblemItem),
    }),
  ),
  elsa: Type.Optional(ElsaReportReply),
})

export const importDefinitions = route({
  method: 'POST',
  path: '/workflow-definitions/import',
  name: 'importWorkflowDefinitions',
  permission: 'definitions:write',
  summary:
    'Writes drafts from a text: one document, a JSON list, or a YAML stream. Either all are sound, or nothing is written: the problem then has the same report.',
  query: closed({
    format: Type.Optional(oneOf(['json', 'yaml', 'elsa'], 'What it looks like unless told. elsa: JSON of Elsa 3.')),
    dryRun: Type.Optional(flag('Says what would happen, and writes nothing.')),
    acceptProblems: Type.Optional(flag('Takes documents with errors too, as drafts that cannot be published yet.')),
  }),
  body: Type.String({ description: 'The text.' }),
  bodyText: ['application/json', 'application/yaml', 'text/yaml', 'application/x-yaml', 'text/plain'],
  bodyLimit: TEXT_LIMIT,
  replies: { 200: ImportReply },
  problems: ['MALFORMED_JSON', 'IMPORT_INVALID'],
  async handle({ engine, tenant }, { query: { format, dryRun = false, acceptProblems = false }, body }) {
    const elsa = format === 'elsa' ? fromElsa(readElsa(body), engine.activities) : undefined
    const report = await engine.definitions.import(tenant, elsa === undefined ? body : JSON.stringify(elsa.document), {
      ...(format === undefined ? {} : { format: format === 'yaml' ? 'yaml' : 'json' }),
      dryRun,
      acceptProblems,
      // Of Elsa the text that was read is our own.
      places: elsa === undefined,
    })
    const told = toWireReport(report, elsa)
    if (!dryRun && !report.written) throw new ImportInvalid(told)
    return { status: 200, body: told }
  },
})

function readElsa(text: string): Json {
  try {
    const value = JSON.parse(text) as Json
    checkSound(text, value)
    return value
  } catch (error) {
    if (MalformedJson.is(error)) throw error
    throw new MalformedJson({ reason: (error as Error).message }, { cause: error })
  }
}

const toWireReport = ({ written, documents }: ImportReport, elsa: ConvertedElsa | undefined) => ({
  written,
  documents: documents.map(({ index, id, outcome, revision, problems }) => ({
    index,
    id: id ?? null,
    outcome,
    etag: revision === undefined ? null : toEtag(revision),
    problems,
  })),
  ...(elsa === undefined ? {} : { elsa: elsa.report }),
})

export const exportDefinition = route({
  method: 'GET',
  path: '/workflow-definitions/:id/export',
  name: 'exportWorkflowDefinition',
  permission: 'definitions:read',
  summary: 'The document as text that import reads. Equal definitions give equal text.',
  id: DefinitionId,
  query: closed({
    format: Type.Optional(oneOf(['json', 'yaml'], 'json unless told.')),
    source: Type.Optional(
      Type.String({
        pattern: '^(draft|published|[1-9][0-9]{0,8})$',
        description: 'draft, published, or the number of a version; draft unless told.',
      }),
    ),
  }),
  replies: { 200: anything('The document.') },
  replyTypes: ['application/json', 'application/yaml'],
  problems: ['DEFINITION_NOT_FOUND', 'DEFINITION_IS_CODE'],
  async handle({ engine, tenant }, { params, query: { format = 'json', source = 'draft' } }) {
    const pieces: string[] = []
    const from = source === 'draft' || source === 'published' ? source : Number(source)
    for await (const piece of engine.definitions.export(tenant, [definitionIdOf(params.id)], { format, source: from }))
      pieces.push(piece)
    const type = format === 'json' ? 'application/json; charset=utf-8' : 'application/yaml; charset=utf-8'
    return { status: 200, body: pieces.join(''), type }
  },
})
