import { Lru } from '@lockstep/base'

import type { ActivityRegistry } from '../activity/activity-registry.ts'
import { CacheCounters, type CacheStats } from '../cache/cache-counters.ts'
import type { Cache } from '../cache/caches.ts'
import { type CompiledExpression, compileExpression } from '../expression/expression.ts'
import type { AnyWorkflow } from '../function/workflow-context.ts'
import { compileGraph } from '../graph/compile-graph.ts'
import type { GraphDocument } from '../graph/document.ts'
import type { GraphProgram } from '../graph/graph-program.ts'
import { compileSchema, type Validator } from '../graph/json-schema.ts'
import type { DefinitionStore } from '../store/definition-store.ts'
import { DefinitionNotFound, WorkflowNotRegistered } from './errors.ts'

/** A version, ready to run. */
export type Program =
  | {
      readonly kind: 'graph'
      readonly graph: GraphProgram<CompiledExpression>
      readonly checkInput: Validator | undefined
    }
  | { readonly kind: 'function'; readonly workflow: AnyWorkflow }

export const DEFINITION_CACHE = 'definitions'

/**
 * Versions are immutable, so what was compiled once stays right, as long as the activities are the ones that it was compiled with: those
 * that were loaded anew are other ones. What has the same content (a version that brings back an older one) is compiled once, by its
 * hash. Those that were not used for longest are let go first.
 */
export class Programs implements Cache {
  readonly #definitions: DefinitionStore
  readonly #activities: ActivityRegistry
  readonly #workflows: ReadonlyMap<string, AnyWorkflow>
  readonly #versions: Lru<string, { readonly types: readonly string[]; readonly loading: Promise<Program> }>
  readonly #compiled: Lru<string, { readonly types: readonly string[]; readonly program: Program }>
  readonly #counters = new CacheCounters()
  readonly #limit: number

  constructor(
    definitions: DefinitionStore,
    activities: ActivityRegistry,
    workflows: readonly AnyWorkflow[],
    limit = 1_000,
  ) {
    this.#definitions = definitions
    this.#activities = activities
    this.#workflows = new Map(workflows.map((each) => [each.id, each]))
    this.#limit = limit
    this.#versions = new Lru({ most: limit, onEvicted: this.#counters.evicted })
    this.#compiled = new Lru({ most: limit })
  }

  get workflows(): Iterable<AnyWorkflow> {
    return this.#workflows.values()
  }

  workflow(id: string): AnyWorkflow | undefined {
    return this.#workflows.get(id)
  }

  get(tenant: string, id: string, version: number): Promise<Program> {
    const key = `${tenant}\n${id}\n${version}`
    const types = this.#activities.types()
    const present = this.#versions.get(key)
    if (present?.types === types) {
      this.#counters.hits += 1
      return present.loading
    }
    this.#counters.misses += 1
    const loading = this.#load(tenant, id, version)
    this.#versions.set(key, { types, loading })
    loading.catch(() => {
      if (this.#versions.get(key)?.loading === loading) this.#versions.delete(key)
    })
    return loading
  }

  stats(): CacheStats {
    const { hits, misses, invalidations, evictions, secondTierHits } = this.#counters
    const counts = { hits, misses, invalidations, evictions, secondTierHits }
    return { name: DEFINITION_CACHE, size: this.#versions.size, limit: this.#limit, ...counts }
  }

  clear(): void {
    this.#counters.invalidations += this.#versions.size
    this.#versions.clear()
    this.#compiled.clear()
  }

  async #load(tenant: string, id: string, version: number): Promise<Program> {
    const workflow = this.#workflows.get(id)
    if (workflow?.version === version) return { kind: 'function', workflow }
    const found = await this.#definitions.version(tenant, id, version)
    if (found === undefined) throw new DefinitionNotFound({ definitionId: id, version })
    if (found.kind === 'function') throw new WorkflowNotRegistered({ definitionId: id, version })
    const types = this.#activities.types()
    const present = this.#compiled.get(found.hash)
    if (present?.types === types) return present.program
    const document = found.document as GraphDocument
    const graph = compileGraph(document, this.#activities, compileExpression)
    const program: Program = {
      kind: 'graph',
      graph,
      checkInput: document.input === undefined ? undefined : compileSchema(document.input),
    }
    this.#compiled.set(found.hash, { types, program })
    return program
  }
}
