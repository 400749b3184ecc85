import type { Json } from '@lockstep/base'
import { DefinitionNotFound, InputInvalid } from '../definition/errors.ts'
import type { Program, Programs } from '../definition/programs.ts'
import type { DefinitionStore } from '../store/definition-store.ts'

/** How a start is to be written. */
export interface StartPlan {
  /** `undefined`: the one that is published when the start is written. */
  readonly version: number | undefined
  /** Only graphs have a schema for their input. */
  readonly checksInput: boolean
  readonly queue: string
  /** Whether this node could run it. */
  readonly claimable: boolean
}

/** Every node takes from it. */
export const GRAPH_QUEUE = 'default'
const functionQueue = (id: string, version: number): string => `fn/${id}/${version}`

/** Decides where a definition runs. Functions are pinned to the version this node has; graphs take what is published when they start. */
export class StartPlanner {
  readonly #definitions: DefinitionStore
  readonly #programs: Programs
  /** What kind of definition an id names never changes. */
  readonly #kinds = new Map<string, 'graph' | 'function'>()
  /** The version that the last start got: a guess for checking input early, never a decision. */
  readonly #lastVersions = new Map<string, number>()

  constructor(definitions: DefinitionStore, programs: Programs) {
    this.#definitions = definitions
    this.#programs = programs
  }

  /** What this node can run: graphs, and the functions it has. */
  queues(): readonly string[] {
    return [GRAPH_QUEUE, ...[...this.#programs.workflows].map((each) => functionQueue(each.id, each.version))]
  }

  /** The plan for a function that this node has; nothing needs to be asked for it. */
  planHere(definitionId: string, version: number | undefined): StartPlan | undefined {
    const workflow = this.#programs.workflow(definitionId)
    if (workflow === undefined || (version !== undefined && version !== workflow.version)) return undefined
    const queue = functionQueue(definitionId, workflow.version)
    return { version: workflow.version, checksInput: false, queue, claimable: true }
  }

  async plan(tenant: string, definitionId: string, version: number | undefined): Promise<StartPlan> {
    const here = this.planHere(definitionId, version)
    if (here !== undefined) return here
    const key = keyOf(tenant, definitionId)
    const graph: StartPlan = { version, checksInput: true, queue: GRAPH_QUEUE, claimable: true }
    if (this.#kinds.get(key) === 'graph' && version === undefined) return graph
    const found = await this.#definitions.draft(tenant, definitionId)
    if (found === undefined) throw new DefinitionNotFound({ definitionId })
    this.#kinds.set(key, found.kind)
    if (version !== undefined && (await this.#definitions.version(tenant, definitionId, version)) === undefined)
      throw new DefinitionNotFound({ definitionId, version })
    if (found.kind === 'graph') return graph
    const pinned = version ?? found.published
    return { version: pinned, checksInput: false, queue: functionQueue(definitionId, pinned ?? 1), claimable: false }
  }

  /** Refuses input that does not fit the schema of the version that will probably run. */
  async checkInput(tenant: string, definitionId: string, version: number | undefined, input: Json): Promise<void> {
    const known =
      version ??
      this.#lastVersions.get(keyOf(tenant, definitionId)) ??
      (await this.#definitions.draft(tenant, definitionId))?.published
    if (known === undefined) return
    const program = await this.#programs.get(tenant, definitionId, known).catch(() => undefined)
    if (program !== undefined) requireFit(program, definitionId, input)
  }

  /** A start got this version. */
  started(tenant: string, definitionId: string, version: number): void {
    this.#lastVersions.set(keyOf(tenant, definitionId), version)
  }
}

const keyOf = (tenant: string, definitionId: string): string => `${tenant}\n${definitionId}`

function requireFit(program: Program, definitionId: string, input: Json): void {
  if (program.kind !== 'graph' || program.checkInput === undefined || program.checkInput(input)) return
  const problems = (program.checkInput.errors ?? []).map((error) => ({
    pointer: error.instancePath,
    text: error.message ?? 'does not fit',
  }))
  throw new InputInvalid({ definitionId, problems })
}
