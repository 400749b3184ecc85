/**
 * Runs drafts without publishing them. The draft, changed a little by `testDocument`, becomes a version in the test tenant, and an ordinary
 * instance of it runs there: the same interpreter, the same activities, the same journal.
 */
import { hashJson, type Json } from '@lockstep/base'
import type { ActivityCatalogue } from '../activity/activity-type.ts'
import type { Definitions } from '../definition/definitions.ts'
import { DefinitionInvalid, DefinitionIsCode, DraftChanged } from '../definition/errors.ts'
import type { GraphDocument } from '../graph/document.ts'
import { workflowsRun } from '../graph-document/workflows-run.ts'
import { DEFAULT_TENANT, type StartedInstance, type StartRequest } from '../start/start-request.ts'
import type { DefinitionStore } from '../store/definition-store.ts'
import { TestStepUnknown } from './errors.ts'
import type { Pins } from './pin.ts'
import { contains, testDocument } from './test-document.ts'
import { testTenant } from './test-tenant.ts'

export interface TestRunRequest {
  readonly tenant?: string
  readonly definitionId: string
  readonly input?: unknown
  readonly correlationId?: string
  /** Steps that are not executed, and what they answer instead. */
  readonly pins?: Pins
  /** The last step to run. Absent: all of them. */
  readonly until?: string
}

export interface TestRunsOptions {
  readonly definitions: Pick<Definitions, 'draft' | 'problems' | 'version'>
  readonly store: DefinitionStore
  readonly catalogue: ActivityCatalogue
  readonly start: (request: StartRequest) => Promise<StartedInstance>
}

/** Workflows that one test may bring along, each below the other. */
const MOST_CHILDREN = 50
const MOST_TRIES = 20

export class TestRuns {
  readonly #o: TestRunsOptions

  constructor(options: TestRunsOptions) {
    this.#o = options
  }

  /** Settles when the run is durable. Effects of its steps are real, unless they are pinned. */
  async start(request: TestRunRequest): Promise<StartedInstance> {
    const { tenant = DEFAULT_TENANT, definitionId, input, correlationId, pins = {}, until } = request
    const draft = await this.#o.definitions.draft(tenant, definitionId)
    if (draft.kind === 'function') throw new DefinitionIsCode({ definitionId })
    const errors = this.#o.definitions.problems(draft.document as Json).filter(({ severity }) => severity === 'error')
    if (errors.length > 0) throw new DefinitionInvalid({ definitionId, problems: errors })
    const document = draft.document as GraphDocument
    for (const step of [...Object.keys(pins), ...(until === undefined ? [] : [until])])
      if (!contains(document, step)) throw new TestStepUnknown({ definitionId, step })

    const tested = testDocument(document, this.#o.catalogue, until)
    await this.#bringChildren(tenant, definitionId, tested)
    const version = await this.#publish(testTenant(tenant), tested)
    return this.#o.start({
      ...{ tenant: testTenant(tenant), definitionId, version, input: input ?? null },
      ...(correlationId === undefined ? {} : { correlationId }),
      ...(Object.keys(pins).length === 0 ? {} : { pins }),
    })
  }

  /** Workflows that it runs are tested as they are published. Those written as functions stay where they are. */
  async #bringChildren(tenant: string, definitionId: string, document: GraphDocument): Promise<void> {
    const known = new Set([definitionId])
    const open = [...workflowsRun(document)]
    for (let id = open.shift(); id !== undefined && known.size <= MOST_CHILDREN; id = open.shift()) {
      if (known.has(id)) continue
      known.add(id)
      const published = (await this.#o.store.draft(tenant, id))?.published
      const found = published === undefined ? undefined : await this.#o.store.version(tenant, id, published)
      if (found?.kind !== 'graph') continue
      const child = testDocument(found.document as GraphDocument, this.#o.catalogue)
      await this.#publish(testTenant(tenant), child)
      open.push(...workflowsRun(child))
    }
  }

  /** The same document keeps its version. */
  async #publish(tenant: string, document: GraphDocument): Promise<number> {
    const { store } = this.#o
    const text = JSON.stringify(document)
    const hash = hashJson(document as unknown as Json)
    for (let tries = 0; ; tries += 1) {
      const created = await store.create(tenant, document.id, text)
      const saved = created.kind === 'created' ? created : await store.saveDraft(tenant, document.id, text, undefined)
      const revision = 'revision' in saved ? saved.revision : 0
      const published = await store.publish(tenant, document.id, hash, revision, workflowsRun(document))
      // Otherwise somebody else tests another draft of it at this very moment.
      if (published.kind === 'published') return published.version
      if (tries >= MOST_TRIES) throw new DraftChanged({ definitionId: document.id, revision })
    }
  }
}
