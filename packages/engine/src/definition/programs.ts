import type { ValidateFunction } from 'ajv/dist/2020.js'
import type { ActivityRegistry } from '../activity/activity-registry.ts'
import { type CompiledExpression, compileExpression } from '../expression/expression.ts'
import type { AnyWorkflow } from '../function/workflow-context.ts'
import { compileGraph } from '../graph/compile-graph.ts'
import type { GraphDocument } from '../graph/document.ts'
import type { GraphProgram } from '../graph/graph-program.ts'
import { compileSchema } from '../graph/json-schema.ts'
import type { DefinitionStore } from '../store/definition-store.ts'
import { DefinitionNotFound, WorkflowNotRegistered } from './errors.ts'

/** A version, ready to run. */
export type Program =
  | {
      readonly kind: 'graph'
      readonly graph: GraphProgram<CompiledExpression>
      readonly checkInput: ValidateFunction | undefined
    }
  | { readonly kind: 'function'; readonly workflow: AnyWorkflow }

/** Versions are immutable, so what was compiled once stays right: the cache is never told of anything. The oldest are let go first. */
export class Programs {
  readonly #definitions: DefinitionStore
  readonly #activities: ActivityRegistry
  readonly #workflows: ReadonlyMap<string, AnyWorkflow>
  readonly #cache = new Map<string, Promise<Program>>()
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
  }

  get workflows(): Iterable<AnyWorkflow> {
    return this.#workflows.values()
  }

  workflow(id: string): AnyWorkflow | undefined {
    return this.#workflows.get(id)
  }

  get(tenant: string, id: string, version: number): Promise<Program> {
    const key = `${tenant}\n${id}\n${version}`
    const present = this.#cache.get(key)
    if (present !== undefined) return present
    const loading = this.#load(tenant, id, version)
    this.#cache.set(key, loading)
    loading.catch(() => this.#cache.delete(key))
    if (this.#cache.size > this.#limit) this.#cache.delete(this.#cache.keys().next().value!)
    return loading
  }

  async #load(tenant: string, id: string, version: number): Promise<Program> {
    const workflow = this.#workflows.get(id)
    if (workflow?.version === version) return { kind: 'function', workflow }
    const found = await this.#definitions.version(tenant, id, version)
    if (found === undefined) throw new DefinitionNotFound({ definitionId: id, version })
    if (found.kind === 'function') throw new WorkflowNotRegistered({ definitionId: id, version })
    const document = found.document as GraphDocument
    const graph = compileGraph(document, this.#activities, compileExpression)
    return {
      kind: 'graph',
      graph,
      checkInput: document.input === undefined ? undefined : compileSchema(document.input),
    }
  }
}
