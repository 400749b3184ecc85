/** Reads everything, judges everything, and only then writes: a text with one invalid document changes nothing. */
import { hashJson, isJsonObject, type Json } from '@lockstep/base'
import { type GraphProblem, problem } from '../graph/graph-problem.ts'
import { readDocuments } from '../graph-document/text/read-documents.ts'
import type { TextEntry } from '../graph-document/text/text-entry.ts'
import type { YamlThread } from '../graph-document/text/yaml-thread.ts'
import type { DefinitionStore } from '../store/definition-store.ts'
import { checkExtent } from './check-extent.ts'
import type { ImportedDocument, ImportOptions, ImportProblem, ImportReport } from './import-report.ts'

export interface ImportContext {
  readonly store: DefinitionStore
  readonly yaml: YamlThread
  problems(document: Json): readonly GraphProblem[]
}

/** What will be done with a document, and with which revision in mind. */
interface Plan {
  readonly entry: ImportedDocument
  readonly document: Json
}

const MOST_PROBLEMS = 100
/** Characters of text in which places are looked for. */
const LONGEST_PLACED = 2_000_000

export async function importDefinitions(
  context: ImportContext,
  tenant: string,
  text: string,
  options: ImportOptions = {},
): Promise<ImportReport> {
  const {
    format = /^\s*[[{]/.test(text) ? 'json' : 'yaml',
    acceptProblems = false,
    dryRun = false,
    places = true,
  } = options
  const plans: Plan[] = []
  const seen = new Set<string>()
  for (const [index, entry] of (await readDocuments(text, format, context.yaml)).entries()) {
    plans.push(await planOne(context, tenant, index, entry, seen, acceptProblems))
  }
  const told = plans.map(({ entry }) => entry)
  const planned = places ? await placed(context.yaml, text, told) : told
  if (dryRun || planned.some(({ outcome }) => outcome === 'invalid')) return { written: false, documents: planned }
  const documents: ImportedDocument[] = []
  for (const [index, { document }] of plans.entries())
    documents.push(await write(context.store, tenant, { document, entry: planned[index]! }))
  return { written: true, documents }
}

async function planOne(
  { store, problems: check }: ImportContext,
  tenant: string,
  index: number,
  read: TextEntry,
  seen: Set<string>,
  acceptProblems: boolean,
): Promise<Plan> {
  if ('problem' in read) return { document: null, entry: { index, outcome: 'invalid', problems: [read.problem] } }
  const { document } = read
  const excess = checkExtent(document)
  const found: ImportProblem[] = excess === undefined ? check(document).slice(0, MOST_PROBLEMS) : [excess]
  const id = isJsonObject(document) && typeof document.id === 'string' ? document.id : undefined
  const invalid = (...more: readonly ImportProblem[]): Plan => ({
    document,
    entry: { index, ...(id !== undefined && { id }), outcome: 'invalid', problems: [...more, ...found] },
  })
  if (id === undefined || excess !== undefined || found.some((each) => isFatal(each, acceptProblems))) return invalid()
  if (seen.has(id)) return invalid(problem('/id', 'DUPLICATE_ID', `"${id}" is in this import twice: remove one`))
  seen.add(id)

  const draft = await store.draft(tenant, id)
  if (draft === undefined) return { document, entry: { index, id, outcome: 'created', problems: found } }
  if (draft.kind === 'function')
    return invalid(problem('/id', 'INVALID_ID', `"${id}" is a workflow written as a function: choose another id`))
  const isSame = hashJson(draft.document as Json) === hashJson(document)
  const outcome = isSame ? 'unchanged' : 'new-draft'
  return { document, entry: { index, id, outcome, revision: draft.revision, problems: found } }
}

/** Each problem with its place in the text. Those of a text that could not be read have it already. */
async function placed(
  yaml: YamlThread,
  text: string,
  documents: readonly ImportedDocument[],
): Promise<readonly ImportedDocument[]> {
  const wanted = documents.flatMap(({ index, problems }) => problems.map(({ pointer }) => ({ index, pointer })))
  if (wanted.length === 0 || text.length > LONGEST_PLACED) return documents
  const places = [...((await yaml.run({ locate: text, wanted })) ?? [])]
  return documents.map((entry) => ({
    ...entry,
    problems: entry.problems.map((each) => ({ ...places.shift(), ...each })),
  }))
}

/** Without an id of its own and the shape of a document it could not even be a draft. */
function isFatal({ severity, pointer, code }: ImportProblem, acceptProblems: boolean): boolean {
  if (severity !== 'error') return false
  return !acceptProblems || pointer === '' || pointer === '/id' || code === 'TOO_DEEP'
}

async function write(store: DefinitionStore, tenant: string, { entry, document }: Plan): Promise<ImportedDocument> {
  const id = entry.id!
  if (entry.outcome === 'created') {
    const verdict = await store.create(tenant, id, JSON.stringify(document))
    return verdict.kind === 'created' ? { ...entry, revision: verdict.revision } : { ...entry, outcome: 'conflict' }
  }
  if (entry.outcome === 'unchanged') return entry
  const verdict = await store.saveDraft(tenant, id, JSON.stringify(document), entry.revision)
  return verdict.kind === 'saved' ? { ...entry, revision: verdict.revision } : { ...entry, outcome: 'conflict' }
}
