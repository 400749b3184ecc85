import type { ClusterNode, ClusterNodes, DevProcess } from '../../api/wire.ts'
import { isLate, type NodeEntry } from './node-entries.ts'

/** A word, and the pair of colours that goes with it. */
export type NodeLook = readonly [label: string, tone: string]

const look: Readonly<Record<string, NodeLook>> = {
  alive: ['Alive', 'completed'],
  cordoned: ['Cordoned', 'paused'],
  draining: ['Draining', 'paused'],
  drained: ['Drained', 'paused'],
}

/** What the supervisor of a dev cluster knows at once, and the store only after a while. */
const processLook: Readonly<Record<DevProcess['state'], NodeLook | undefined>> = {
  starting: ['Starting', 'queued'],
  running: undefined,
  paused: ['Paused', 'paused'],
  stopping: ['Stopping', 'paused'],
  dead: ['Dead', 'faulted'],
}

const JOINING: NodeLook = ['Joining', 'queued']

function lookOf(node: ClusterNode, patience: ClusterNodes['patience']): NodeLook {
  return isLate(node, patience) ? ['Late', 'retrying'] : (look[node.state] ?? ['Leaving', 'faulted'])
}

export const entryLook = (
  { node, process }: Pick<NodeEntry, 'node' | 'process'>,
  patience: ClusterNodes['patience'],
): NodeLook => (process && processLook[process.state]) ?? (node === undefined ? JOINING : lookOf(node, patience))
