import type { Explanation } from './explain.ts'
import type { WaitsFor } from './why.ts'

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const

const MOST_TOLD = 3

/** `2 h 5 min`, `40 s`, `under a second`. */
export function inWords(ms: number): string {
  let rest = Math.abs(ms)
  const parts: string[] = []
  for (const [name, unitMs] of UNITS) {
    const count = Math.floor(rest / unitMs)
    rest -= count * unitMs
    if (count > 0) parts.push(`${count} ${name}`)
    else if (parts.length > 0) break
    if (parts.length === 2) break
  }
  return parts.length === 0 ? 'under a second' : parts.join(' ')
}

/** What happened to it, for people. */
export function whyText(why: Explanation, now: number): string {
  const first = stateText(why, now)
  const blocked = why.blockers.map((blocker) => ` ${blocker.text}.`).join('')
  const [incident] = why.incidents
  const trouble =
    incident === undefined || why.state === 'quarantined' ? '' : ` Incident ${incident.code}: ${incident.message}.`
  return `${first}${blocked}${trouble}`
}

function stateText(why: Explanation, now: number): string {
  const ago = `${inWords(now - why.since)} ago`
  switch (why.state) {
    case 'ended':
      return `It ended as ${why.status} ${ago}.`
    case 'quarantined':
      return `It was put aside ${ago}: ${why.incidents.at(-1)?.message ?? 'its owners died with it'}.`
    case 'queued':
      return `It waits for its turn since ${inWords(now - why.since)}.`
    case 'paused':
      return `Somebody paused it ${ago}.`
    case 'stranded':
      return 'It has nothing to do and nothing to wait for: something is broken.'
    case 'held':
      // It may be in hand for no other reason than a lock that it holds.
      return `${heldText(why)}${why.waitsFor.length === 0 ? '' : ` Meanwhile it waits ${waitsText(why, now)}.`}`
    case 'orphaned':
      return heldText(why)
    case 'due': {
      const { ahead, lateMs, name } = why.queue!
      const before = ahead.value === 0 ? 'it is the next' : `${ahead.exact ? '' : 'more than '}${ahead.value} go first`
      return `It is due since ${inWords(lateMs)} in queue "${name}", and ${before}.`
    }
    case 'waiting':
      if (why.waitsFor.length > 0) return `It waits ${waitsText(why, now)}.`
      return why.movesAt === undefined ? 'It waits for its time to come.' : 'It waits for its time.'
  }
}

const heldText = ({ heldBy }: Explanation): string =>
  `Node ${heldBy?.name ?? heldBy?.nodeId} has it (claim ${heldBy?.claimNo}).`

/** The first few of what it waits for. */
function waitsText({ waitsFor }: Explanation, now: number): string {
  const first = waitsFor.slice(0, MOST_TOLD).map((wait) => waitText(wait, now))
  const more = waitsFor.length > MOST_TOLD ? `, and ${waitsFor.length - MOST_TOLD} more` : ''
  return `${first.join(', and ')}${more}`
}

function waitText(wait: WaitsFor, now: number): string {
  const since = `since ${inWords(now - wait.since)}`
  const left = 'expiresAt' in wait && wait.expiresAt !== undefined ? `, for ${inWords(wait.expiresAt - now)} more` : ''
  switch (wait.kind) {
    case 'timer':
      return `at "${wait.step}" for its time, in ${inWords(wait.dueAt - now)}`
    case 'retry':
      return `at "${wait.step}" to try again after attempt ${wait.attempt} failed (${wait.error}), in ${inWords(wait.dueAt - now)}`
    case 'event':
      return `for event "${wait.name}"${wait.correlationId === undefined ? '' : ` of ${wait.correlationId}`} ${since}${left}`
    case 'signal':
      if (wait.by === 'worker') return `for a worker to do task "${wait.name}" ${since}${left}`
      if (wait.by === 'person') return `for a person at "${wait.name}" ${since}${left}`
      return `for somebody to resume "${wait.name}" ${since}${left}`
    case 'child':
      return `for workflow "${wait.definitionId}" (${wait.instanceId}) ${since}${left}${wait.why === undefined ? '' : `: ${wait.why.replace(/\.$/, '')}`}`
  }
}

/** What a person can do about it. */
export function adviceFor(why: Explanation): string[] {
  const advice = new Set<string>()
  if (why.state === 'quarantined') advice.add('Look at what its program does to its process, then retry or cancel it')
  if (why.state === 'stranded') advice.add('Run doctor with repair')
  if (why.state === 'ended' && why.status === 'faulted') advice.add('Mend the cause, then retry it')
  if (why.state === 'paused') advice.add('Continue it')
  for (const wait of why.waitsFor) {
    if (wait.kind === 'signal') advice.add(signalAdvice(wait.by, wait.name))
    if (wait.kind === 'event') advice.add(`Publish event "${wait.name}", or resume "${wait.name}"`)
  }
  for (const blocker of why.blockers) {
    if (blocker.kind === 'compensation-failed') advice.add('See its compensations')
    if (blocker.kind === 'no-living-node') advice.add('Start a node')
    if (blocker.kind === 'no-living-worker') advice.add('Start a node with the role worker')
    if (blocker.kind === 'nodes-cordoned')
      advice.add(`Let it take part again: lockstep cluster uncordon ${blocker.key}`)
    if (blocker.kind === 'no-worker-here') advice.add('Start a node that has this workflow')
    if (blocker.kind === 'node-full') advice.add('Raise the concurrency, or add a node')
  }
  return [...advice]
}

function signalAdvice(by: 'worker' | 'person' | undefined, name: string): string {
  if (by === 'worker') return `Start a worker that does task "${name}", or wait for the one that has it`
  if (by === 'person') return `Whoever is to decide "${name}" has to do so: make a link to the task and send it to them`
  return `Resume "${name}"`
}
