import { hostname } from 'node:os'
import type { NodeOptions } from './options/node-options.ts'

/** What a node is called in lists, locks and the audit log. */
export const nodeNameOf = ({ nodeName }: Pick<NodeOptions, 'nodeName'>): string =>
  nodeName ?? `${hostname()}:${process.pid}`
