import { activityRegistry } from '../activity/activity-registry.ts'
import { Programs } from '../definition/programs.ts'
import type { EngineStore } from '../store/engine-store.ts'
import { type DoctorOptions, type DoctorReport, examineStore } from './doctor.ts'
import { exactStore } from './exact-store.ts'
import { waitsByJournal } from './waits-of.ts'

/** The doctor of a store whose nodes may all be down. Graphs with activities of an application are judged as far as that goes without its code. */
export function examineWithoutEngine(
  { maintenance, instances, definitions }: Pick<EngineStore, 'maintenance' | 'instances' | 'definitions'>,
  nodeId: string,
  options: DoctorOptions,
): Promise<DoctorReport> {
  const programs = new Programs(definitions, activityRegistry(), [])
  return examineStore(exactStore(maintenance, waitsByJournal({ instances, programs })), nodeId, options)
}
