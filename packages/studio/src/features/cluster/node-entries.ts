import type { ClusterNode, ClusterNodes, DevProcess } from '../../api/wire.ts'

/** One card: a node that the store knows, a process of a dev cluster, or both. */
export interface NodeEntry {
  readonly key: string
  readonly name: string
  /** Absent: the process is dead, or has been silent for so long that it was buried, or has not joined yet. */
  readonly node: ClusterNode | undefined
  /** Absent: no dev cluster, or an older life of a node that was revived. */
  readonly process: DevProcess | undefined
}

/** What the page shows, by name. A node that was killed and revived has two rows in the store until the first is buried. */
export function nodeEntries({ items, processes = [] }: ClusterNodes): readonly NodeEntry[] {
  const latest = new Map<string, ClusterNode>()
  for (const node of items) {
    const other = latest.get(node.name)
    if (other === undefined || startOf(node) > startOf(other)) latest.set(node.name, node)
  }
  const known = items.map((node) => ({
    ...{ key: node.id, name: node.name, node },
    process: latest.get(node.name) === node ? processes.find(({ name }) => name === node.name) : undefined,
  }))
  const unknown = processes
    .filter(({ name }) => !latest.has(name))
    .map((process) => ({ key: process.name, name: process.name, node: undefined, process }))
  return [...known, ...unknown].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
}

/** Silence is measured by the clock of the store, and judged as the server does; one of before beats every 750 ms. */
export const isLate = ({ state, silentMs }: ClusterNode, patience: ClusterNodes['patience']): boolean =>
  state === 'alive' && silentMs > (patience?.lateMs ?? 1_500)

const startOf = ({ startedAt }: ClusterNode): number => (startedAt === null ? 0 : Date.parse(startedAt))

/** Why a process is not to be killed or frozen from a page at `port`: nobody could bring it back from there. */
export function sparedBecause(process: DevProcess, processes: readonly DevProcess[], port: string): string | undefined {
  const others = processes.filter(({ name, state }) => name !== process.name && state === 'running')
  if (others.length === 0)
    return 'No other node runs, so nobody could bring it back from here. In the terminal of the cluster a key does it.'
  if (process.url !== null && portOf(process.url) === port)
    return 'This page comes from this node and would be gone with it. Open Studio at the address of the cluster.'
  return undefined
}

const portOf = (url: string): string => new URL(url).port
