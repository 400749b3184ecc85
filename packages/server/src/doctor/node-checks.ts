/** Whether nodes are fit, from what the store knows of them. What is fine is said too. Pure. */
import type { NodeView } from '@lockstep/engine/ports'

export interface Check {
  readonly check: string
  readonly level: 'ok' | 'warning' | 'error'
  readonly finding: string
  /** What to do about it; absent where all is well. */
  readonly fix?: string | undefined
}

/** Leases and timers go by the store's clock. Logs, traces and tokens go by the machine's. */
const MOST_SKEW_MS = 1_000

type Seen = Pick<NodeView, 'name' | 'version' | 'skewMs' | 'silentMs' | 'doomed' | 'roles' | 'wanted'>

export function nodeChecks(nodes: readonly Seen[], goneMs: number): readonly Check[] {
  const silent = nodes.filter(({ doomed, silentMs }) => doomed || silentMs > goneMs)
  const living = nodes.filter((node) => !silent.includes(node))
  return [silenceCheck(nodes, silent, goneMs), workCheck(living), skewCheck(nodes), versionCheck(nodes)]
}

function silenceCheck(nodes: readonly Seen[], silent: readonly Seen[], goneMs: number): Check {
  if (silent.length === 0)
    return { check: 'nodes', level: 'ok', finding: `${nodes.length} node${nodes.length === 1 ? '' : 's'} beat` }
  return {
    check: 'nodes',
    level: 'warning',
    finding: `${namesOf(silent)} said nothing for over ${goneMs} ms`,
    fix: 'The others bury it and go on with its work. Look at its process and its way to the database',
  }
}

/** Whether anybody would take what is due. */
function workCheck(living: readonly Seen[]): Check {
  const check = 'work'
  const workers = living.filter(({ roles }) => roles.includes('worker'))
  const open = workers.filter(({ wanted }) => wanted === 'active')
  if (open.length > 0)
    return { check, level: 'ok', finding: `${open.length} node${open.length === 1 ? ' takes' : 's take'} work` }
  const [first] = workers
  if (first === undefined)
    return {
      ...{ check, level: 'warning', finding: 'No living node has the role worker: what is due waits' },
      fix: 'Start a node whose LOCKSTEP_ROLES has worker',
    }
  return {
    ...{ check, level: 'warning' },
    finding: `An operator has cordoned or drained every living node with the role worker (${namesOf(workers)}): what is due waits`,
    fix: `lockstep cluster uncordon ${first.name}`,
  }
}

function skewCheck(nodes: readonly Seen[]): Check {
  const measured = nodes.flatMap(({ name, skewMs }) => (skewMs === undefined ? [] : [{ name, skewMs }]))
  const most = Math.max(0, ...measured.map(({ skewMs }) => Math.abs(skewMs)))
  const off = measured.filter(({ skewMs }) => Math.abs(skewMs) > MOST_SKEW_MS)
  if (off.length === 0)
    return {
      check: 'clock-skew',
      level: 'ok',
      finding: `Clocks of nodes are within ${Math.round(most)} ms of the store's`,
    }
  const told = off.map(({ name, skewMs }) => `${name} by ${Math.round(skewMs)} ms`).join(', ')
  return {
    check: 'clock-skew',
    level: 'warning',
    finding: `Clocks are off: ${told}`,
    fix: 'Let chrony or another NTP client keep the clocks of these machines',
  }
}

function versionCheck(nodes: readonly Seen[]): Check {
  const versions = [...new Set(nodes.map(({ version }) => version))].sort()
  if (versions.length < 2)
    return { check: 'versions', level: 'ok', finding: `All nodes run ${versions[0] ?? 'nothing'}` }
  return {
    check: 'versions',
    level: 'warning',
    finding: `Nodes run ${versions.join(' and ')}`,
    fix: 'Two versions side by side are for the time of an update: finish it',
  }
}

const namesOf = (nodes: readonly Seen[]): string => nodes.map(({ name }) => name).join(', ')
