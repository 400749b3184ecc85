import { hashJson, type Json } from '@lockstep/base'
import type { ActivityCatalogue } from '../activity/activity-type.ts'
import { compileExpression } from '../expression/expression.ts'
import type { GraphProblem } from '../graph/graph-problem.ts'
import { expressionParser } from '../graph/parse-expression.ts'
import { validateDocument } from '../graph/validate-document.ts'
import type { DefinitionStore, DefinitionSummary, Draft } from '../store/definition-store.ts'
import { DefinitionExists, DefinitionInvalid, DefinitionIsCode, DefinitionNotFound, DraftChanged } from './errors.ts'

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

/** Drafts may be unfinished; what is published must be sound. */
export class Definitions {
  readonly #store: DefinitionStore
  readonly #catalogue: ActivityCatalogue

  constructor(store: DefinitionStore, catalogue: ActivityCatalogue) {
    this.#store = store
    this.#catalogue = catalogue
  }

  problems(document: Json): readonly GraphProblem[] {
    return validateDocument(document, this.#catalogue, { parseExpression: expressionParser(compileExpression) })
  }

  async create(tenant: string, document: Json): Promise<SavedDraft> {
    const { id, problems } = this.#checkShape(document)
    const created = await this.#store.create(tenant, id, JSON.stringify(document))
    if (created.kind === 'exists') throw new DefinitionExists({ definitionId: id })
    return { id, revision: created.revision, problems }
  }

  async draft(tenant: string, id: string): Promise<Draft> {
    const found = await this.#store.draft(tenant, id)
    if (found === undefined) throw new DefinitionNotFound({ definitionId: id })
    return found
  }

  async saveDraft(tenant: string, id: string, document: Json, revision: number | undefined): Promise<SavedDraft> {
    const checked = this.#checkShape(document)
    if (checked.id !== id) {
      throw new DefinitionInvalid({
        definitionId: id,
        problems: [
          { pointer: '/id', code: 'INVALID_ID', text: `must be "${id}", the id it is saved under`, severity: 'error' },
        ],
      })
    }
    const saved = await this.#store.saveDraft(tenant, id, JSON.stringify(document), revision)
    if (saved.kind === 'not-found') throw new DefinitionNotFound({ definitionId: id })
    if (saved.kind === 'changed' && (await this.draft(tenant, id)).kind === 'function')
      throw new DefinitionIsCode({ definitionId: id })
    if (saved.kind === 'changed') throw new DraftChanged({ definitionId: id, revision: saved.revision })
    return { id, revision: saved.revision, problems: checked.problems }
  }

  /** Refused while the draft has errors; `revision` guards against publishing what somebody else just saved. */
  async publish(tenant: string, id: string, revision?: number): Promise<PublishedVersion> {
    const draft = await this.draft(tenant, id)
    if (draft.kind === 'function') throw new DefinitionIsCode({ definitionId: id })
    if (revision !== undefined && revision !== draft.revision)
      throw new DraftChanged({ definitionId: id, revision: draft.revision })
    const errors = this.problems(draft.document as Json).filter((problem) => problem.severity === 'error')
    if (errors.length > 0) throw new DefinitionInvalid({ definitionId: id, problems: errors })
    const published = await this.#store.publish(tenant, id, hashJson(draft.document as Json), draft.revision)
    if (published.kind === 'not-found') throw new DefinitionNotFound({ definitionId: id })
    if (published.kind === 'changed') throw new DraftChanged({ definitionId: id, revision: published.revision })
    return { id, version: published.version, hash: published.hash }
  }

  list(tenant: string, after: string | undefined, limit: number): Promise<readonly DefinitionSummary[]> {
    return this.#store.list(tenant, after, limit)
  }

  /** A draft may have problems, but it must be a document with an id: else it could not be found again. */
  #checkShape(document: Json): { readonly id: string; readonly problems: readonly GraphProblem[] } {
    const problems = this.problems(document)
    const id = typeof document === 'object' && document !== null && 'id' in document ? document.id : undefined
    const fatal = problems.filter((problem) => problem.pointer === '' || problem.pointer === '/id')
    if (typeof id !== 'string' || fatal.some((problem) => problem.severity === 'error')) {
      throw new DefinitionInvalid({
        definitionId: typeof id === 'string' ? id : '?',
        problems: fatal.length > 0 ? fatal : problems,
      })
    }
    return { id, problems }
  }
}
