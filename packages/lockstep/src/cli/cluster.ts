import type { Command } from 'commander'
import { clusterDevCommand } from './cluster-dev.ts'
import { EndedBadly, EXIT, UsageError } from './exit-codes.ts'
import { listNodes, nodeColumns } from './nodes.ts'
import type { ApiClient, Body } from './remote/api-client.ts'
import {
  agreed,
  limitOf,
  noun,
  type PagedFlags,
  paged,
  pathOf,
  remoteCommand,
  type Session,
} from './remote/remote-command.ts'
import type { Terminal } from './terminal/terminal.ts'
import { agoText } from './terminal/time-text.ts'
import { type WatchFlags, watched, watching } from './terminal/watch.ts'

/** In one answer. */
const MOST_EVENTS = 200

type Verb = 'cordon' | 'uncordon' | 'drain'

/** The cluster as a whole, and what operators do with its nodes. */
export function clusterCommand(terminal: Terminal): Command {
  const order = (verb: Verb, description: string, told: string): Command =>
    remoteCommand<{ yes?: boolean; dryRun?: boolean }>(
      terminal,
      `${verb} <node>`,
      description,
      (c) =>
        verb === 'drain'
          ? c.option('--dry-run', 'say what it has in hand, change nothing').option('-y, --yes', 'do not ask')
          : c,
      async (session, [given], { yes, dryRun }) => {
        const node = await nodeOf(session.api, given!)
        const { id } = node
        if (verb === 'drain') {
          const question = `${node.name} has ${node.holds} instance${node.holds === 1 ? '' : 's'} in hand and would hand them back.`
          if (dryRun === true) return session.done(question, node)
          await agreed(session, yes, `${question} Drain it?`)
        }
        const { body } = await session.api.call('POST', pathOf('cluster', 'nodes', id, verb))
        session.done(`${body.name} ${told}`, body)
      },
    )
  return noun(
    'cluster',
    'several nodes as one',
    remoteCommand<WatchFlags>(
      terminal,
      'status',
      'show nodes, what is wanted of them, and who leads',
      watched,
      async (session, _, flags) => watching(terminal, flags, () => status(session)),
    ),
    remoteCommand<WatchFlags>(
      terminal,
      'nodes',
      'list nodes, the same as nodes list',
      watched,
      async (session, _, flags) => watching(terminal, flags, () => listNodes(session)),
    ),
    remoteCommand<WatchFlags>(terminal, 'leader', 'show who leads each election', watched, async (session, _, flags) =>
      watching(terminal, flags, async () => {
        const { body } = await session.api.call('GET', '/cluster/leaders')
        session.table(
          body.items,
          [
            { title: 'ELECTION', text: (row) => row.election },
            { title: 'LEADER', text: (row) => row.name },
            { title: 'TERM', text: (row) => row.term, align: 'right' },
            { title: 'SINCE', text: (row) => agoText(row.since, terminal.now()) },
            { title: 'STAND BY', text: (row) => String(row.standby), align: 'right' },
          ],
          'There is no election: nodes share the work without a leader',
        )
      }),
    ),
    order('cordon', 'let a node take nothing more; what it has in hand goes on', 'takes nothing more'),
    order('uncordon', 'let a node take part again', 'takes part again'),
    order('drain', 'let a node hand back what it has and take nothing more', 'hands back what it has'),
    remoteCommand<PagedFlags>(
      terminal,
      'events',
      'what happened to nodes: the latest, oldest first',
      paged,
      async (session, _, flags) => {
        session.table(
          await readEvents(session.api, limitOf(flags)),
          [
            { title: 'AT', text: (row) => row.at },
            { title: 'WHAT', text: (row) => row.kind },
            { title: 'NODE', text: (row) => row.name },
            { title: 'ID', text: (row) => row.nodeId },
            { title: 'DETAIL', text: (row) => detailText(row.detail), elastic: true },
          ],
          'Nothing has happened yet',
        )
      },
    ),
    clusterDevCommand(terminal),
  )
}

async function status(session: Session): Promise<void> {
  const { terminal, api, output } = session
  const { cluster, items: nodes } = (await api.call('GET', '/cluster/nodes')).body
  const leaders = (await api.call('GET', '/cluster/leaders')).body.items
  if (output !== 'table' && output !== 'id') return session.done('', { cluster, nodes, leaders })
  if (output === 'table') terminal.out(`Cluster ${terminal.colors.bold(cluster)}\n`)
  session.table(nodes, nodeColumns(terminal), 'No node is known')
  if (output === 'table')
    for (const { election, name, term, standby } of leaders)
      terminal.out(`${election} is led by ${name} in term ${term}, ${standby} stand by\n`)
}

/** By id, or by a name that one node alone has. */
async function nodeOf(api: ApiClient, given: string): Promise<Body> {
  if (given.startsWith('nod_')) return (await api.call('GET', pathOf('cluster', 'nodes', given))).body
  const nodes: Body[] = (await api.call('GET', '/cluster/nodes')).body.items
  const found = nodes.filter(({ name }) => name === given)
  if (found.length === 1) return found[0]!
  const names = nodes.map(({ name, id }) => `${name} (${id})`).join(', ')
  if (found.length === 0)
    throw new EndedBadly({ text: `No node is called "${given}": there are ${names}`, exitCode: EXIT.notFound })
  throw new UsageError({ text: `${found.length} nodes are called "${given}", name one by its id: ${names}` })
}

/** The latest ones, in their order. A node tells them from the oldest on, and keeps ten thousand at most. */
async function readEvents(api: ApiClient, limit: number): Promise<readonly Body[]> {
  let found: readonly Body[] = []
  for (let after = '0'; ; ) {
    const { body } = await api.call('GET', '/cluster/events', { query: { after, limit: MOST_EVENTS } })
    if (body.items.length === 0) return found
    found = [...found, ...body.items].slice(-limit)
    after = body.after
  }
}

const detailText = (detail: Body): string =>
  Object.entries(detail)
    .map(([name, value]) => `${name}=${Array.isArray(value) ? value.join('+') : value}`)
    .join(' ')
