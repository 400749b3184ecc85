import { hashJson, type Json } from '@lockstep/base'
import type { ActivityCatalogue } from '../activity/activity-type.ts'
import { compileExpression } from '../expression/expression.ts'
import type { GraphDocument } from '../graph/document.ts'
import type { GraphProblem } from '../graph/graph-problem.ts'
import { expressionParser } from '../graph/parse-expression.ts'
import { validateDocument } from '../graph/validate-document.ts'
import { validateStructure } from '../graph/validate-structure.ts'
import { diffGraphs } from '../graph-document/diff/diff-graphs.ts'
import type { GraphDiff } from '../graph-document/diff/graph-change.ts'
import { type YamlThread, yamlThread } from '../graph-document/text/yaml-thread.ts'
import { workflowsRun } from '../graph-document/workflows-run.ts'
import { triggerProblems } from '../schedule/graph-triggers.ts'
import type {
  DefinitionFilter,
  DefinitionStore,
  DefinitionSummary,
  DefinitionVersion,
  Draft,
  VersionSummary,
} from '../store/definition-store.ts'
import type { BoundedCount, Consumer, DefinitionUsageStore } from '../store/definition-usage-store.ts'
import type { EngineStore } from '../store/engine-store.ts'
import type { TriggerStore } from '../store/trigger-store.ts'
import { taskProblems } from '../task/check-tasks.ts'
import { isTestTenant } from '../test-run/test-tenant.ts'
import { endpointProblems } from '../trigger/check-endpoints.ts'
import { requireFreePaths } from '../trigger/require-free-paths.ts'
import { checkExtent } from './check-extent.ts'
import type { PointedDefinition } from './definition-news.ts'
import { DefinitionExists, DefinitionInvalid, DefinitionIsCode, DefinitionNotFound, DraftChanged } from './errors.ts'
import { type ExportOptions, exportDefinitions } from './export-definitions.ts'
import { importDefinitions } from './import-definitions.ts'
import type { ImportOptions, ImportReport } from './import-report.ts'

export interface SavedDraft {
  readonly id: string
  readonly revision: number
  readonly problems: readonly GraphProblem[]
}

export interface PublishedVersion {
  readonly id: string
  readonly version: number
  readonly hash: string
}

/** What `diff` compares: a version by its number, the one that new instances get, or the draft. */
export type DocumentSource = number | 'published' | 'draft'

export type DiscardedDraft =
  /** It never had a version: nothing is left of it. */
  | { readonly id: string; readonly status: 'deleted' }
  /** The draft is what this version says. */
  | { readonly id: string; readonly status: 'reset'; readonly version: number; readonly revision: number }

/** How many instances `pinned` looks at unless told otherwise. */
const PINNED_LOOK_AT = 10_000

/** Drafts may be unfinished; what is published must be sound. */
export class Definitions {
  readonly #store: DefinitionStore
  readonly #usage: DefinitionUsageStore
  readonly #triggers: TriggerStore
  readonly #catalogue: ActivityCatalogue
  readonly #yaml: YamlThread = yamlThread()
  readonly #onPointed: (pointed: PointedDefinition) => void

  /** `onPointed`: new instances of something get another version than before, or none. */
  constructor(
    store: Pick<EngineStore, 'definitions' | 'definitionUsage' | 'triggers'>,
    catalogue: ActivityCatalogue,
    onPointed: (pointed: PointedDefinition) => void = () => {},
  ) {
    this.#onPointed = onPointed
    this.#store = store.definitions
    this.#usage = store.definitionUsage
    this.#triggers = store.triggers
    this.#catalogue = catalogue
  }

  problems(document: Json): readonly GraphProblem[] {
    const excess = checkExtent(document)
    if (excess !== undefined) return [excess]
    const problems = validateDocument(document, this.#catalogue, {
      parseExpression: expressionParser(compileExpression),
    })
    // Only of a document that has the shape of one: what a trigger asks for is read from it.
    return problems.some(({ severity }) => severity === 'error')
      ? problems
      : [
          ...problems,
          ...triggerProblems(document),
          ...endpointProblems(document as unknown as GraphDocument),
          ...taskProblems(document as unknown as GraphDocument),
        ]
  }

  /** `by`: who does it, told to whoever saves at the same time. */
  async create(tenant: string, document: Json, by?: string): Promise<SavedDraft> {
    const { id, problems } = this.#checkShape(document)
    const created = await this.#store.create(tenant, id, JSON.stringify(document), by)
    if (created.kind === 'exists') throw new DefinitionExists({ definitionId: id })
    return { id, revision: created.revision, problems }
  }

  async draft(tenant: string, id: string): Promise<Draft> {
    const found = await this.#store.draft(tenant, id)
    if (found === undefined) throw new DefinitionNotFound({ definitionId: id })
    return found
  }

  async saveDraft(
    tenant: string,
    id: string,
    document: Json,
    revision: number | undefined,
    by?: string,
  ): Promise<SavedDraft> {
    const checked = this.#checkShape(document)
    if (checked.id !== id) {
      throw new DefinitionInvalid({
        definitionId: id,
        problems: [
          { pointer: '/id', code: 'INVALID_ID', text: `must be "${id}", the id it is saved under`, severity: 'error' },
        ],
      })
    }
    const saved = await this.#store.saveDraft(tenant, id, JSON.stringify(document), revision, by)
    if (saved.kind === 'not-found') throw new DefinitionNotFound({ definitionId: id })
    if (saved.kind === 'changed') {
      const { kind, updatedBy } = await this.draft(tenant, id)
      if (kind === 'function') throw new DefinitionIsCode({ definitionId: id })
      throw new DraftChanged({ definitionId: id, revision: saved.revision, updatedBy })
    }
    return { id, revision: saved.revision, problems: checked.problems }
  }

  /** Throws what `publish` would, of a document that nobody has saved yet. */
  async requirePublishable(tenant: string, id: string, document: Json): Promise<void> {
    const errors = this.problems(document).filter((problem) => problem.severity === 'error')
    if (errors.length > 0) throw new DefinitionInvalid({ definitionId: id, problems: errors })
    await requireFreePaths(this.#triggers, tenant, id, document, async () => {})
  }

  /** Refused while the draft has errors; `revision` guards against publishing what somebody else just saved. */
  async publish(tenant: string, id: string, revision?: number): Promise<PublishedVersion> {
    const draft = await this.draft(tenant, id)
    if (draft.kind === 'function') throw new DefinitionIsCode({ definitionId: id })
    if (revision !== undefined && revision !== draft.revision)
      throw new DraftChanged({ definitionId: id, revision: draft.revision, updatedBy: draft.updatedBy })
    const errors = this.problems(draft.document as Json).filter((problem) => problem.severity === 'error')
    if (errors.length > 0) throw new DefinitionInvalid({ definitionId: id, problems: errors })
    const hash = hashJson(draft.document as Json)
    const runs = workflowsRun(draft.document as GraphDocument)
    const published = await requireFreePaths(this.#triggers, tenant, id, draft.document, () =>
      this.#store.publish(tenant, id, hash, draft.revision, runs),
    )
    if (published.kind === 'not-found') throw new DefinitionNotFound({ definitionId: id })
    if (published.kind === 'changed') throw new DraftChanged({ definitionId: id, revision: published.revision })
    this.#onPointed({ tenant, definitionId: id, version: published.version })
    return { id, version: published.version, hash: published.hash }
  }

  /** Makes an older version the one that new instances get. Refused when this node's activities no longer fit it. */
  async republish(tenant: string, id: string, version: number): Promise<PublishedVersion> {
    const found = await this.version(tenant, id, version)
    if (found.kind === 'function') throw new DefinitionIsCode({ definitionId: id })
    const errors = this.problems(found.document as Json).filter((problem) => problem.severity === 'error')
    if (errors.length > 0) throw new DefinitionInvalid({ definitionId: id, problems: errors })
    const point = () => this.#store.point(tenant, id, version)
    if (!(await requireFreePaths(this.#triggers, tenant, id, found.document, point)))
      throw new DefinitionNotFound({ definitionId: id, version })
    this.#onPointed({ tenant, definitionId: id, version })
    return { id, version, hash: found.hash }
  }

  /** No new instance starts, unless it names a version; those that run go on. Repeating it is harmless. */
  async retract(tenant: string, id: string): Promise<void> {
    if (await this.#store.point(tenant, id, undefined))
      return this.#onPointed({ tenant, definitionId: id, version: undefined })
    const { kind } = await this.draft(tenant, id)
    if (kind === 'function') throw new DefinitionIsCode({ definitionId: id })
    throw new DefinitionNotFound({ definitionId: id })
  }

  /** Undoes what was saved since the current version. A definition that never had a version is deleted. */
  async discardDraft(tenant: string, id: string, revision?: number): Promise<DiscardedDraft> {
    const verdict = await this.#store.discardDraft(tenant, id, revision)
    switch (verdict.kind) {
      case 'deleted':
        return { id, status: 'deleted' }
      case 'reset':
        return { id, status: 'reset', version: verdict.version, revision: verdict.revision }
      case 'changed':
        throw new DraftChanged({ definitionId: id, revision: verdict.revision })
      case 'not-found':
        if ((await this.draft(tenant, id)).kind === 'function') throw new DefinitionIsCode({ definitionId: id })
        throw new DefinitionNotFound({ definitionId: id })
    }
  }

  async version(tenant: string, id: string, version: number): Promise<DefinitionVersion> {
    const found = await this.#store.version(tenant, id, version)
    if (found === undefined) throw new DefinitionNotFound({ definitionId: id, version })
    return found
  }

  /** Newest first, those below `before`. */
  versions(tenant: string, id: string, before: number | undefined, limit: number): Promise<readonly VersionSummary[]> {
    return this.#store.versions(tenant, id, before, limit)
  }

  list(
    tenant: string,
    after: string | undefined,
    limit: number,
    filter?: DefinitionFilter,
  ): Promise<readonly DefinitionSummary[]> {
    return this.#store.list(tenant, after, limit, filter)
  }

  /** How many instances of a version have not ended, among at most `lookAt`. */
  pinned(tenant: string, id: string, version: number, lookAt: number = PINNED_LOOK_AT): Promise<BoundedCount> {
    return this.#usage.pinned(tenant, id, version, lookAt)
  }

  /** Which workflows run this one, in their newest version that does. Functions do not say beforehand whom they run. */
  consumers(tenant: string, id: string, after: string | undefined, limit: number): Promise<readonly Consumer[]> {
    return this.#usage.consumers(tenant, id, after, limit)
  }

  /** Those that have a published graph; test runs belong to none of them. */
  async tenants(): Promise<readonly string[]> {
    return (await this.#usage.tenants()).filter((tenant) => !isTestTenant(tenant))
  }

  /** In meaning: see `diffGraphs`. Refused when one side has not even the shape of a document. */
  async diff(tenant: string, id: string, from: DocumentSource, to: DocumentSource): Promise<GraphDiff> {
    const [before, after] = [await this.#document(tenant, id, from), await this.#document(tenant, id, to)]
    for (const document of [before, after]) {
      const excess = checkExtent(document)
      const problems = excess === undefined ? validateStructure(document) : [excess]
      if (problems.length > 0) throw new DefinitionInvalid({ definitionId: id, problems })
    }
    return diffGraphs(before as unknown as GraphDocument, after as unknown as GraphDocument, this.#catalogue)
  }

  /** Writes drafts from a text of JSON or YAML; either all of its documents are sound, or nothing is written. */
  import(tenant: string, text: string, options?: ImportOptions): Promise<ImportReport> {
    const context = {
      store: this.#store,
      yaml: this.#yaml,
      problems: (document: Json) => this.problems(document),
    }
    return importDefinitions(context, tenant, text, options)
  }

  /** A text that `import` reads, piece by piece. */
  export(tenant: string, ids: readonly string[] | 'all', options?: ExportOptions): AsyncGenerator<string> {
    const context = {
      store: this.#store,
      yaml: this.#yaml,
      document: (id: string, source: DocumentSource) => this.#document(tenant, id, source),
    }
    return exportDefinitions(context, tenant, ids, options)
  }

  async #document(tenant: string, id: string, source: DocumentSource): Promise<Json> {
    const draft = typeof source === 'number' ? undefined : await this.draft(tenant, id)
    if (draft?.kind === 'function') throw new DefinitionIsCode({ definitionId: id })
    if (draft !== undefined && source === 'draft') return draft.document as Json
    const number = draft === undefined ? (source as number) : draft.published
    if (number === undefined) throw new DefinitionNotFound({ definitionId: id })
    const { kind, document } = await this.version(tenant, id, number)
    if (kind === 'function') throw new DefinitionIsCode({ definitionId: id })
    return document as Json
  }

  /** A draft may have problems, but it must be a document with an id: else it could not be found again. */
  #checkShape(document: Json): { readonly id: string; readonly problems: readonly GraphProblem[] } {
    const problems = this.problems(document)
    const id = typeof document === 'object' && document !== null && 'id' in document ? document.id : undefined
    const excess = checkExtent(document)
    const fatal = problems.filter(
      (problem) => excess !== undefined || problem.pointer === '' || problem.pointer === '/id',
    )
    if (typeof id !== 'string' || fatal.some((problem) => problem.severity === 'error')) {
      throw new DefinitionInvalid({
        definitionId: typeof id === 'string' ? id : '?',
        problems: fatal.length > 0 ? fatal : problems,
      })
    }
    return { id, problems }
  }
}
