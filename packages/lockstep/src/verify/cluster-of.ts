import { UsageError } from '../cli/exit-codes.ts'
import type { ApiClient, Body } from '../cli/remote/api-client.ts'

export interface Cluster {
  readonly members: readonly { readonly id: string; readonly name: string; readonly state: string }[]
  readonly warnings: readonly string[]
}

/** Who belongs to the cluster. Addresses of different clusters are refused: their findings would mean nothing. */
export async function clusterOf(nodes: readonly ApiClient[]): Promise<Cluster> {
  const lists: Body[][] = []
  for (const node of nodes) lists.push((await node.call('GET', '/cluster/nodes')).body.items)
  const known = new Set(lists[0]!.map((each) => each.id))
  lists.forEach((list, index) => {
    if (!list.some((each) => known.has(each.id)))
      throw new UsageError({ text: `${nodes[index]!.url} belongs to another cluster than ${nodes[0]!.url}` })
  })
  const members = lists[0]!.map(({ id, name, state }) => ({ id, name, state }))
  const few = members.length < 3 ? [`The cluster has ${members.length} node(s): the checklist is meant for three`] : []
  return { members, warnings: few }
}
