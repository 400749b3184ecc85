import type { Json } from '@lockstep/base'
import { CacheCounters, type CacheStats } from '../cache/cache-counters.ts'
import type { Cache } from '../cache/caches.ts'
import { DefinitionNotFound, InputInvalid } from '../definition/errors.ts'
import type { Programs } from '../definition/programs.ts'
import type { Validator } from '../graph/json-schema.ts'
import type { DefinitionStore } from '../store/definition-store.ts'

/** How a start is to be written. */
export interface StartPlan {
  /** `undefined`: the one that is published when the start is written. */
  readonly version: number | undefined
  /** The version is a guess: the start is refused where another one is published by now. */
  readonly onlyPublished?: boolean | undefined
  /** Only graphs have a schema for their input. */
  readonly checksInput: boolean
  readonly queue: string
  /** Whether this node could run it. */
  readonly claimable: boolean
}

/** A version whose schema an input fits. */
export type CheckedVersion = Pick<StartPlan, 'version' | 'onlyPublished'>

/** Every node takes from it. */
export const GRAPH_QUEUE = 'default'
const functionQueue = (id: string, version: number): string => `fn/${id}/${version}`

const MOST_GUESSES = 1_000

export const PUBLISHED_CACHE = 'published-versions'

/** Decides where a definition runs. Functions are pinned to the version this node has; graphs take what is published when they start. */
export class StartPlanner implements Cache {
  readonly #definitions: DefinitionStore
  readonly #programs: Programs
  /** What kind of definition an id names never changes. */
  readonly #kinds = new Map<string, 'graph' | 'function'>()
  /** The version that was published lately: a guess, which the store confirms or refuses as it writes the start. */
  readonly #guesses = new Map<string, number>()
  readonly #counters = new CacheCounters()

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

  /**
   * Refuses input that does not fit the schema of the version that will run, and answers which one that is: what runs and what was checked
   * are the same, however little this node has heard of what others publish.
   */
  async checkInput(
    tenant: string,
    definitionId: string,
    version: number | undefined,
    input: Json,
  ): Promise<CheckedVersion> {
    const guess = version ?? this.#guesses.get(keyOf(tenant, definitionId))
    if (version === undefined) this.#counters[guess === undefined ? 'misses' : 'hits'] += 1
    const misfit = guess === undefined ? undefined : await this.#misfit(tenant, definitionId, guess, input)
    if (version !== undefined && misfit !== undefined) throw misfit
    if (guess !== undefined && misfit === undefined) return { version: guess, onlyPublished: version === undefined }
    // Nobody is refused by what another node has replaced meanwhile.
    return this.checkAnew(tenant, definitionId, input)
  }

  /** The same by what is published now: the caller's request has begun, so that is the version it gets whatever comes after. */
  async checkAnew(tenant: string, definitionId: string, input: Json): Promise<CheckedVersion> {
    const version = (await this.#definitions.draft(tenant, definitionId))?.published
    if (version === undefined) throw new DefinitionNotFound({ definitionId })
    this.#guess(tenant, definitionId, version)
    const misfit = await this.#misfit(tenant, definitionId, version, input)
    if (misfit !== undefined) throw misfit
    return { version, onlyPublished: false }
  }

  stats(): CacheStats {
    const { hits, misses, invalidations, evictions, secondTierHits } = this.#counters
    const counts = { hits, misses, invalidations, evictions, secondTierHits }
    return { name: PUBLISHED_CACHE, size: this.#guesses.size, limit: MOST_GUESSES, ...counts }
  }

  /** Somebody has published something. */
  clear(): void {
    this.#counters.invalidations += this.#guesses.size
    this.#guesses.clear()
  }

  #guess(tenant: string, definitionId: string, version: number): void {
    const key = keyOf(tenant, definitionId)
    if (this.#guesses.size >= MOST_GUESSES && !this.#guesses.has(key)) {
      this.#guesses.delete(this.#guesses.keys().next().value!)
      this.#counters.evicted()
    }
    this.#guesses.set(key, version)
  }

  async #misfit(tenant: string, definitionId: string, version: number, input: Json): Promise<Error | undefined> {
    const program = await this.#programs.get(tenant, definitionId, version).catch(() => undefined)
    return program?.kind === 'graph' ? misfitOf(program.checkInput, definitionId, input) : undefined
  }
}

const keyOf = (tenant: string, definitionId: string): string => `${tenant}\n${definitionId}`

/** What is wrong with an input, by the schema of a version; nothing where it has none. */
export function misfitOf(
  check: Validator | undefined,
  definitionId: string,
  input: Json,
): InstanceType<typeof InputInvalid> | undefined {
  if (check === undefined || check(input)) return undefined
  const problems = (check.errors ?? []).map((error) => ({
    pointer: error.instancePath,
    text: error.message ?? 'does not fit',
  }))
  return new InputInvalid({ definitionId, problems })
}
