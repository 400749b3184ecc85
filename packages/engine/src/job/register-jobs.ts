import { canonicalJson, type Json } from '@lockstep/base'
import { writeSchedule } from '../schedule/change-schedule.ts'
import type { StoredDocument } from '../schedule/run-input.ts'
import type { ScheduleStore } from '../store/schedule-store.ts'
import { checkJobs } from './check-jobs.ts'
import type { AnyJob } from './job.ts'

/**
 * Writes the schedules of jobs that this node has, unless something is wrong with one of them. One that stands there already is left alone unless the code says something else, and
 * code of an older version never changes what newer code wrote. Whether it is paused is the operator's choice and stays, although it was removed meanwhile.
 * Answers the names of those whose schedule belongs to somebody else: a person's, made before the job was written.
 */
export async function registerJobs(
  schedules: ScheduleStore,
  tenant: string,
  nodeId: string,
  jobs: readonly AnyJob[],
  newId: () => string,
): Promise<readonly string[]> {
  const foreign: string[] = []
  if (jobs.length === 0) return foreign
  checkJobs(jobs, new Map((await schedules.owned(tenant, 'job')).map((row) => [row.id, row.after])))
  for (const { name, version, document } of jobs) {
    const written: StoredDocument = { ...document, version }
    await schedules.change(nodeId, tenant, name, (current, now, pausedFor) => {
      const before = current?.document as StoredDocument | undefined
      if (current !== undefined && current.owner !== 'job') {
        foreign.push(name)
        return undefined
      }
      if (before !== undefined && ((before.version ?? 1) > version || isSame(before, written))) return undefined
      const asked = { ...written, paused: current?.paused ?? pausedFor === 'job' }
      const request = { tenant, id: name, document: asked, definitionId: name, owner: 'job', activity: undefined }
      return writeSchedule(request, current, now, newId)
    })
  }
  return [...new Set(foreign)]
}

const isSame = (a: StoredDocument, b: StoredDocument): boolean =>
  canonicalJson(JSON.parse(JSON.stringify(a)) as Json) === canonicalJson(JSON.parse(JSON.stringify(b)) as Json)
