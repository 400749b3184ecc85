/**
 * Whether what schedules hand to workflows fits their schemas. A decision inside the store's transaction cannot wait (ADR 0006), so it stops
 * where a schema is not here yet: nothing of it is written, the schema is read, and the decision is made again. What was checked is
 * what runs (ADR 0011): the decision names the version to the store.
 */
import { isRetryable, type Json, Lru } from '@lockstep/base'
import type { Programs } from '../definition/programs.ts'
import type { Validator } from '../graph/json-schema.ts'
import { misfitOf } from '../start/start-planner.ts'
import type { DefinitionStore } from '../store/definition-store.ts'
import type { TakenSchedule } from '../store/schedule-store.ts'
import type { InputCheck, Misfit } from './input-check.ts'

/** More than all that is decided about at once, or a decision would never have all it needs. */
const MOST_KEPT = 10_000

type Runs = Pick<TakenSchedule, 'tenant' | 'definitionId' | 'graphVersion'>

export class InputChecks {
  readonly #definitions: Pick<DefinitionStore, 'draft'>
  readonly #programs: Pick<Programs, 'get'>
  readonly #kept = new Lru<string, { readonly check: Validator | undefined }>({ most: MOST_KEPT })
  /** Versions that this node could not read lately. They take anything, as they do when they are started. */
  readonly #unreadable = new Set<string>()

  constructor(definitions: Pick<DefinitionStore, 'draft'>, programs: Pick<Programs, 'get'>) {
    this.#definitions = definitions
    this.#programs = programs
  }

  /** Makes a decision, again where it was stopped for what it lacked. */
  async decided<T>(decision: () => Promise<T>): Promise<T> {
    this.#unreadable.clear()
    for (;;) {
      try {
        return await decision()
      } catch (error) {
        if (!(error instanceof ChecksMissing)) throw error
        await Promise.all(error.of.map((each) => this.#load(each)))
      }
    }
  }

  /** Within a decision: the checks of all that it is about. Stops it where one is missing. */
  of(taken: readonly Runs[]): readonly (InputCheck | undefined)[] {
    const missing = taken.filter((each) => each.graphVersion !== undefined && !this.#isKnown(keyOf(each)))
    if (missing.length > 0) throw new ChecksMissing(missing)
    return taken.map((each) => {
      const check = this.#kept.get(keyOf(each))?.check
      return check && ((input) => misfitOf(check, each.definitionId, input))
    })
  }

  /** By what is published now. Nothing is wrong where nothing is. */
  async misfit(tenant: string, definitionId: string, input: Json): Promise<Misfit | undefined> {
    const found = await this.#definitions.draft(tenant, definitionId)
    if (found?.kind !== 'graph' || found.published === undefined) return undefined
    const runs = { tenant, definitionId, graphVersion: found.published }
    if (this.#kept.get(keyOf(runs)) === undefined) await this.#load(runs)
    return misfitOf(this.#kept.get(keyOf(runs))?.check, definitionId, input)
  }

  #isKnown(key: string): boolean {
    return this.#kept.get(key) !== undefined || this.#unreadable.has(key)
  }

  async #load({ tenant, definitionId, graphVersion }: Runs): Promise<void> {
    const key = keyOf({ tenant, definitionId, graphVersion })
    try {
      const program = await this.#programs.get(tenant, definitionId, graphVersion!)
      this.#kept.set(key, { check: program.kind === 'graph' ? program.checkInput : undefined })
    } catch (error) {
      if (isRetryable(error)) throw error
      this.#unreadable.add(key)
    }
  }
}

/** Never leaves `decided`. */
class ChecksMissing extends Error {
  readonly of: readonly Runs[]

  constructor(of: readonly Runs[]) {
    super('a schema has to be read first')
    this.of = [...new Map(of.map((each) => [keyOf(each), each])).values()]
  }
}

const keyOf = ({ tenant, definitionId, graphVersion }: Runs): string => `${tenant}\n${definitionId}\n${graphVersion}`
