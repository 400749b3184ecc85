import { sleep } from '@lockstep/base'
import { type Fact, readFacts } from './journal.ts'
import { Faults, inParallel, type Part, percentile, type Site } from './part.ts'

const AT_ONCE = 50
/** In the second half of a round five want each lock, and wait for one another. */
const WANTED_LOCKS = 10
const LONGEST_RELEASE_MS = 10_000
const STEP_MS = 250

/** Fifty critical sections at once: how long a lock that is free takes, how long one that others want, and that none is stuck. */
export const lockLatency: Part = {
  number: 6,
  title: 'lock acquisition, 50 in parallel',
  async run(site) {
    const id = `${site.prefix}-lock`
    await site.publish({
      id,
      activities: [
        {
          id: 'alone',
          type: 'critical-section',
          inputs: { lock: { $expr: `'${site.prefix}-' + input.lock` }, waitTimeout: '30s' },
          body: {
            activities: [{ id: 'out', type: 'set-output', inputs: { name: 'held', value: true } }],
            connections: [],
          },
        },
      ],
      connections: [],
    })
    const faults = new Faults()
    const fences = new Set<string>()
    /** All at once, each on the lock of its number; how long each waited. */
    const sections = (lockCount: number): Promise<number[]> =>
      inParallel(AT_ONCE, AT_ONCE, async (index) => {
        const wanted = { body: { definitionId: id, input: { lock: index % lockCount }, wait: '60s' } }
        const { body } = await site.nodes[index % site.nodes.length]!.call('POST', '/workflow-instances', wanted)
        const facts = await readFacts(site.any, body.id, faults)
        const opened = facts.find((fact) => fact.kind === 'opened' && fact.data?.lock !== undefined)
        if (body.output?.held !== true) faults.add('a critical section did not get its lock within 30 s')
        if (opened === undefined) {
          faults.add('a critical section has no lock in its journal')
          return site.lockLimitMs
        }
        const grant = `${opened.data.lock} ${opened.data.fence}`
        if (fences.has(grant)) faults.add('two critical sections had the same grant of a lock')
        fences.add(grant)
        return waitedMs(facts, opened)
      })
    // Not counted: a node opens its lock store when it is first asked for a lock.
    await sections(AT_ONCE)
    const free: number[] = []
    const wanted: number[] = []
    for (let round = 1; round <= site.rounds; round++) {
      site.progress(`part 6: round ${round} of ${site.rounds}`)
      free.push(...(await sections(AT_ONCE)))
      wanted.push(...(await sections(WANTED_LOCKS)))
    }
    if ((await leftLocks(site)) > 0) faults.add('locks are still held 10 s after the last section ended')
    const p99 = percentile(free, 0.99)
    if (p99 > site.lockLimitMs) faults.add(`p99 is ${p99} ms, more than ${site.lockLimitMs} ms`)
    return faults.finding({
      grants: fences.size,
      'p50 ms': percentile(free, 0.5),
      'p99 ms': p99,
      'max ms': percentile(free, 1),
      'wanted by five: p99 ms': percentile(wanted, 0.99),
    })
  },
}

/** By the clock of the store, from the fact before the lock was asked for to the one that has it. */
function waitedMs(facts: readonly Fact[], opened: Fact): number {
  const asked = facts.find((fact) => fact.kind === 'waiting') ?? facts[0]
  return Math.max(0, Date.parse(opened.at) - Date.parse(asked.at))
}

async function leftLocks({ any, clock, prefix }: Site): Promise<number> {
  const deadline = clock.monotonic() + LONGEST_RELEASE_MS
  for (;;) {
    const { body } = await any.call('GET', '/locks', { query: { prefix } })
    const held = body.items.filter((each: { state: string }) => each.state !== 'free').length
    if (held === 0 || clock.monotonic() > deadline) return held
    await sleep(clock, STEP_MS)
  }
}
