import { InvalidOption } from '@lockstep/base'
import { JobCycle, JobUnknown } from './errors.ts'
import type { AnyJob } from './job.ts'

/**
 * Names must be unique, parents known, and nobody may wait for itself, however far round. `elsewhere` holds the parents of jobs that other
 * nodes have registered; what this node has goes before it. Throws with the circle named.
 */
export function checkJobs(
  jobs: readonly AnyJob[],
  elsewhere: ReadonlyMap<string, readonly string[]> = new Map(),
): void {
  const parentsOf = new Map(elsewhere)
  const own = new Set<string>()
  for (const { name, document } of jobs) {
    if (own.has(name)) throw new InvalidOption({ option: 'jobs', rule: 'no two jobs of one name', value: name })
    own.add(name)
    parentsOf.set(name, document.dependency?.jobs ?? [])
  }
  const settled = new Set<string>()
  const path: string[] = []
  const visit = (job: string): void => {
    if (settled.has(job)) return
    const begins = path.indexOf(job)
    if (begins >= 0) throw new JobCycle({ circle: [...path.slice(begins), job] })
    path.push(job)
    for (const parent of parentsOf.get(job) ?? []) {
      if (!parentsOf.has(parent)) throw new JobUnknown({ job, parent })
      visit(parent)
    }
    path.pop()
    settled.add(job)
  }
  for (const name of own) visit(name)
}
