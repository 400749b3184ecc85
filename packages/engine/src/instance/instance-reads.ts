/** What can be read of an instance, straight from the store. */
import { InstanceNotFound } from '../definition/errors.ts'
import type { Programs } from '../definition/programs.ts'
import { factFromRow } from '../journal/fact.ts'
import type { EngineStore } from '../store/engine-store.ts'
import type { InstanceView, JournalRow } from '../store/instance-reader.ts'
import { type ActivitiesAt, ActivitiesReader } from './activities-at.ts'
import { type ScopeAt, type ScopeRequest, scopeAt } from './scope-at.ts'
import { type Standing, standingOf } from './standing.ts'
import { programOf, type StateAt, stateAt } from './state-at.ts'
import { type TimelinePage, type TimelinePlace, TimelineReader } from './timeline-reader.ts'

export interface InstanceReads {
  get(tenant: string, instanceId: string): Promise<InstanceView>
  journal(tenant: string, instanceId: string, afterSeq: number, limit: number): Promise<readonly JournalRow[]>
  /** `undefined`: it is not there any more. */
  standing(instanceId: string): Promise<Standing | undefined>
  stateAt(tenant: string, instanceId: string, seq: number | undefined): Promise<StateAt>
  scopeAt(tenant: string, instanceId: string, asked: ScopeRequest): Promise<ScopeAt>
  activitiesAt(tenant: string, instanceId: string, seq: number | undefined): Promise<ActivitiesAt>
  timeline(tenant: string, instanceId: string, after: TimelinePlace, limit: number): Promise<TimelinePage>
}

export function instanceReads(store: EngineStore, programs: Programs): InstanceReads {
  const { instances, agenda } = store
  const activities = new ActivitiesReader({ instances, agenda, programs })
  const timelines = new TimelineReader({ instances, agenda, programs })
  return {
    async get(tenant, instanceId) {
      const found = await instances.get(tenant, instanceId)
      if (found === undefined) throw new InstanceNotFound({ instanceId })
      return found
    },

    async journal(tenant, instanceId, afterSeq, limit) {
      const rows = await instances.journal(tenant, instanceId, afterSeq, limit)
      return rows.map((row) => {
        const { kind: _, ...data } = factFromRow(row)
        return { ...row, data }
      })
    },

    async standing(instanceId) {
      const [loaded] = await agenda.load([instanceId])
      if (loaded === undefined) return undefined
      return standingOf(await programOf(programs, loaded, loaded.version), loaded)
    },

    stateAt: (tenant, instanceId, seq) => stateAt({ instances, programs }, tenant, instanceId, seq),
    scopeAt: (tenant, instanceId, asked) => scopeAt({ instances, programs }, tenant, instanceId, asked),
    activitiesAt: (tenant, instanceId, seq) => activities.at(tenant, instanceId, seq),
    timeline: (tenant, instanceId, after, limit) => timelines.page(tenant, instanceId, after, limit),
  }
}
