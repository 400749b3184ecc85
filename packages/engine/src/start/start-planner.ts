import type { Clock, Json } from '@lockstep/base'
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

/** How long a new version may go unnoticed by the check of inputs where no bus tells of it. What runs is the published one in any case. */
const LONGEST_GUESS_MS = 1_000

/** Decides where a definition runs. Functions are pinned to the version this node has; graphs take what is published when they start. */
export class StartPlanner {
  readonly #definitions: DefinitionStore
  readonly #programs: Programs
  readonly #clock: Clock
  /** What kind of definition an id names never changes. */
  readonly #kinds = new Map<string, 'graph' | 'function'>()
  /** The version that was published lately: a guess for checking input early, never a decision. */
  readonly #guesses = new Map<string, { readonly version: number; readonly at: number }>()

  constructor(definitions: DefinitionStore, programs: Programs, clock: Clock) {
    this.#definitions = definitions
    this.#programs = programs
    this.#clock = clock
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

  /** Refuses input that does not fit the schema of the version that will run, unless that changes at this very moment. */
  async checkInput(tenant: string, definitionId: string, version: number | undefined, input: Json): Promise<void> {
    const guess = version ?? this.#guessOf(tenant, definitionId)
    const misfit = guess === undefined ? undefined : await this.#misfit(tenant, definitionId, guess, input)
    if (guess !== undefined && misfit === undefined) return
    if (version !== undefined) throw misfit
    // Nobody is refused by what another node has replaced meanwhile.
    const published = (await this.#definitions.draft(tenant, definitionId))?.published
    if (published === undefined) return
    this.#guess(tenant, definitionId, published)
    const problem = published === guess ? misfit : await this.#misfit(tenant, definitionId, published, input)
    if (problem !== undefined) throw problem
  }

  /** A start got this version. */
  started(tenant: string, definitionId: string, version: number): void {
    const key = keyOf(tenant, definitionId)
    // That an old guess held once more says nothing of the moment after: it is asked for again in time.
    if (this.#guesses.get(key)?.version !== version) this.#guess(tenant, definitionId, version)
  }

  /** Somebody has published something. */
  published(): void {
    this.#guesses.clear()
  }

  #guess(tenant: string, definitionId: string, version: number): void {
    this.#guesses.set(keyOf(tenant, definitionId), { version, at: this.#clock.monotonic() })
  }

  #guessOf(tenant: string, definitionId: string): number | undefined {
    const guess = this.#guesses.get(keyOf(tenant, definitionId))
    return guess === undefined || this.#clock.monotonic() - guess.at > LONGEST_GUESS_MS ? undefined : guess.version
  }

  async #misfit(tenant: string, definitionId: string, version: number, input: Json): Promise<Error | undefined> {
    const program = await this.#programs.get(tenant, definitionId, version).catch(() => undefined)
    return program && misfitOf(program, definitionId, input)
  }
}

const keyOf = (tenant: string, definitionId: string): string => `${tenant}\n${definitionId}`

function misfitOf(program: Program, definitionId: string, input: Json): Error | undefined {
  if (program.kind !== 'graph' || program.checkInput === undefined || program.checkInput(input)) return undefined
  const problems = (program.checkInput.errors ?? []).map((error) => ({
    pointer: error.instancePath,
    text: error.message ?? 'does not fit',
  }))
  return new InputInvalid({ definitionId, problems })
}
