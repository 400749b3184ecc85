export { startNode, type RunningNode } from './start-node.ts'
export { resolveNodeOptions, type NodeOptions } from './options/node-options.ts'
export type { RawOptions } from './options/raw-options.ts'
