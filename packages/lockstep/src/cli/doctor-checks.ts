/** What the doctor says beside what it finds in the store. A store that is away is one check that failed, and keeps no other from being told. */
import { version } from '../version.ts'
import { ServerProblem } from './exit-codes.ts'
import type { Body } from './remote/api-client.ts'
import type { Session } from './remote/remote-command.ts'

/** With these a node says that its database kept it from answering. */
const AWAY: ReadonlySet<string | undefined> = new Set([
  'DATABASE_UNREACHABLE',
  'DATABASE_BUSY',
  'DATABASE_TIMEOUT',
  'CONNECTION_LOST',
])

/** For `catch`: the check that failed. Whatever is not the store's fault goes on. */
export function storeAway(error: unknown): Body {
  if (!ServerProblem.is(error) || !AWAY.has(error.details.problem.code)) throw error
  return {
    check: 'store',
    level: 'error',
    finding: `The store of the node does not answer [${error.details.problem.code}]`,
    fix: 'Look at the PostgreSQL that LOCKSTEP_DATABASE_URL of the node names, and at the log of the node, which says why. Nodes go on by themselves when it answers',
  }
}

export const isStoreAway = (checks: readonly Body[]): boolean =>
  checks.some(({ check, level }) => check === 'store' && level === 'error')

/** Of the cluster by a node of it, and of this command beside them. */
export async function checksOf({ api }: Session): Promise<readonly Body[]> {
  const address = { check: 'address', level: 'ok', finding: `A node answers at ${api.url}`, fix: null }
  // A node may need its store to know who asks: then it says nothing but that.
  const ofNode: readonly Body[] = await api.call('GET', '/doctor/checks').then(
    ({ body }) => body.checks,
    (error: unknown) => [storeAway(error)],
  )
  if (isStoreAway(ofNode)) return [address, ...ofNode]
  const { items } = (await api.call('GET', '/cluster/nodes')).body
  return [address, commandLine(items), ...ofNode]
}

function commandLine(nodes: readonly Body[]): Body {
  const check = 'command-line'
  const other = nodes.map((node) => node.version).find((each: string) => each !== version)
  if (other === undefined)
    return { check, level: 'ok', finding: `This command is of version ${version}, as the nodes are`, fix: null }
  return {
    ...{ check, level: 'warning', finding: `This command is of version ${version}, a node of ${other}` },
    fix: `Use the command line of ${other}`,
  }
}
