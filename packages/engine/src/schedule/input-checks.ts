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

/** As many as programs are kept. */
const MOST_KEPT = 1_000
/** Each is compiled on the main loop: others have their turn in between. */
const READS_AT_ONCE = 8

type Runs = Pick<TakenSchedule, 'tenant' | 'definitionId' | 'graphVersion'>

interface Read {
  /** Absent: it takes anything. */
  readonly check: Validator | undefined
}

/** Within a decision: the checks of all that it is about. Stops it where one is missing. */
export type ChecksOf = (taken: readonly Runs[]) => readonly (InputCheck | undefined)[]

export class InputChecks {
  readonly #definitions: Pick<DefinitionStore, 'draft'>
  readonly #programs: Pick<Programs, 'get'>
  readonly #kept = new Lru<string, Read>({ most: MOST_KEPT })

  constructor(definitions: Pick<DefinitionStore, 'draft'>, programs: Pick<Programs, 'get'>) {
    this.#definitions = definitions
    this.#programs = programs
  }

  /** Makes a decision, again where it was stopped for what it lacked. What was read for it stays with it, whatever others read or let go. */
  async decided<T>(decision: (of: ChecksOf) => Promise<T>): Promise<T> {
    const here = new Map<string, Read>()
    for (;;) {
      try {
        return await decision((taken) => this.#checksOf(taken, here))
      } catch (error) {
        if (!(error instanceof ChecksMissing)) throw error
        await this.#readAll(error.of, here)
      }
    }
  }

  /** By what is published now. Nothing is wrong where nothing is. */
  async misfit(tenant: string, definitionId: string, input: Json): Promise<Misfit | undefined> {
    const found = await this.#definitions.draft(tenant, definitionId)
    if (found?.kind !== 'graph' || found.published === undefined) return undefined
    const runs = { tenant, definitionId, graphVersion: found.published }
    const { check } = this.#kept.get(keyOf(runs)) ?? (await this.#read(runs))
    return misfitOf(check, definitionId, input)
  }

  #checksOf(taken: readonly Runs[], here: Map<string, Read>): ReturnType<ChecksOf> {
    const missing: Runs[] = []
    const checks = taken.map((runs) => {
      if (runs.graphVersion === undefined) return undefined
      const key = keyOf(runs)
      const read = here.get(key) ?? this.#kept.get(key)
      if (read === undefined) missing.push(runs)
      else here.set(key, read)
      const check = read?.check
      return check && ((input: Json) => misfitOf(check, runs.definitionId, input))
    })
    if (missing.length > 0) throw new ChecksMissing(missing)
    return checks
  }

  async #readAll(of: readonly Runs[], here: Map<string, Read>): Promise<void> {
    for (let from = 0; from < of.length; from += READS_AT_ONCE)
      await Promise.all(
        of.slice(from, from + READS_AT_ONCE).map(async (runs) => here.set(keyOf(runs), await this.#read(runs))),
      )
  }

  /** A version that this node cannot read takes anything, as it does when it is started. That is not kept: it may be readable soon. */
  async #read(runs: Runs): Promise<Read> {
    const { tenant, definitionId, graphVersion } = runs
    try {
      const program = await this.#programs.get(tenant, definitionId, graphVersion!)
      const read = { check: program.kind === 'graph' ? program.checkInput : undefined }
      this.#kept.set(keyOf(runs), read)
      return read
    } catch (error) {
      if (isRetryable(error)) throw error
      return { check: undefined }
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
