/**
 * Keeps the schedules of graphs as their published versions want them. Publishing leaves a note in the store, in its own transaction;
 * the next node that looks makes the schedules follow and takes the note away. All of it may be repeated.
 */
import { canonicalJson, type Json, type Logger } from '@lockstep/base'
import type { DefinitionStore } from '../store/definition-store.ts'
import type { ScheduleStore, StaleSource } from '../store/schedule-store.ts'
import { writeSchedule } from './change-schedule.ts'
import { type TriggerSchedule, triggerSchedules } from './graph-triggers.ts'
import type { StoredDocument } from './run-input.ts'
import { validateSchedule } from './validate-schedule.ts'

export interface GraphTriggersOptions {
  readonly schedules: ScheduleStore
  readonly definitions: DefinitionStore
  readonly logger: Logger
  readonly nodeId: () => string
  readonly newId: () => string
}

const BATCH = 100

export class GraphTriggers {
  readonly #o: GraphTriggersOptions

  constructor(options: GraphTriggersOptions) {
    this.#o = options
  }

  /** Brings a batch of definitions up to date. */
  async apply(): Promise<void> {
    for (const source of await this.#o.schedules.staleSources(BATCH)) await this.#applyOne(source)
  }

  async #applyOne(source: StaleSource): Promise<void> {
    const { schedules, definitions } = this.#o
    const { tenant, definitionId, version } = source
    const owner = `definition:${definitionId}`
    const found = version === undefined ? undefined : await definitions.version(tenant, definitionId, version)
    const wanted = this.#sound(definitionId, triggerSchedules(definitionId, found?.document))
    for (const each of wanted) await this.#put(tenant, owner, definitionId, each)
    const ids = new Set(wanted.map(({ document }) => document.id))
    for (const { id } of await schedules.owned(tenant, owner)) {
      if (ids.has(id)) continue
      await schedules.change(this.#o.nodeId(), tenant, id, (row) =>
        row?.owner === owner ? { kind: 'remove' } : undefined,
      )
    }
    await schedules.sourceApplied(source)
  }

  /** What was published with a trigger that cannot be read does not fire; the rest does. */
  #sound(definitionId: string, wanted: readonly TriggerSchedule[]): readonly TriggerSchedule[] {
    return wanted.filter(({ activity, document }) => {
      const [problem] = validateSchedule(document).filter(({ severity }) => severity === 'error')
      if (problem === undefined) return true
      this.#o.logger.error('a trigger cannot fire', { definitionId, activity, reason: problem.text })
      return false
    })
  }

  async #put(
    tenant: string,
    owner: string,
    definitionId: string,
    { activity, document }: TriggerSchedule,
  ): Promise<void> {
    const { schedules, nodeId, newId, logger } = this.#o
    await schedules.change(nodeId(), tenant, document.id, (current, now, pausedFor) => {
      if (current !== undefined && current.owner !== owner) {
        logger.error('a trigger has no schedule: its id is taken', { definitionId, activity, scheduleId: document.id })
        return undefined
      }
      if (current !== undefined && isSame(current.document as StoredDocument, document)) return undefined
      // What somebody has paused stays so, although the workflow was retracted meanwhile: it is theirs to resume.
      const asked = { ...document, paused: current?.paused ?? pausedFor === owner }
      return writeSchedule(
        { tenant, id: document.id, document: asked, definitionId, owner, activity },
        current,
        now,
        newId,
      )
    })
  }
}

const isSame = (a: StoredDocument, b: StoredDocument): boolean =>
  canonicalJson(JSON.parse(JSON.stringify(a)) as Json) === canonicalJson(JSON.parse(JSON.stringify(b)) as Json)
