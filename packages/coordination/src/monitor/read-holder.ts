import type { HolderInfo } from '../lease/lease.ts'

/** Who stands in the text beside a lease. `undefined`: another program wrote it, or a later version of ours. */
export function readHolder(text: string): HolderInfo | undefined {
  try {
    const info = JSON.parse(text) as Partial<HolderInfo> | null
    if (typeof info?.nodeId !== 'string' || typeof info.node !== 'string') return undefined
    const { nodeId, node, pid, host } = info
    return {
      nodeId,
      node,
      pid: typeof pid === 'number' ? pid : 0,
      host: typeof host === 'string' ? host : '',
      ...(info.meta === undefined ? {} : { meta: info.meta }),
    }
  } catch {
    return undefined
  }
}
