import type { Command } from 'commander'
import type { Body } from './remote/api-client.ts'
import { noun, remoteCommand, type Session } from './remote/remote-command.ts'
import { statusPaint } from './terminal/status-look.ts'
import type { Column } from './terminal/table.ts'
import type { Terminal } from './terminal/terminal.ts'
import { agoText, spanText } from './terminal/time-text.ts'
import { type WatchFlags, watched, watching } from './terminal/watch.ts'

export function nodesCommand(terminal: Terminal): Command {
  return noun(
    'nodes',
    'the processes of the cluster',
    remoteCommand<WatchFlags>(terminal, 'list', 'list nodes', watched, async (session, _, flags) =>
      watching(terminal, flags, () => listNodes(session)),
    ),
  )
}

export async function listNodes(session: Session): Promise<void> {
  const { body } = await session.api.call('GET', '/cluster/nodes')
  session.table(body.items, nodeColumns(session.terminal), 'No node is known')
}

export function nodeColumns(terminal: Terminal): readonly Column<Body>[] {
  return [
    { title: 'NAME', text: (row) => `${row.name}${row.self ? ' *' : ''}` },
    { title: 'STATE', text: stateText, paint: (text, row) => statusPaint(terminal, row.state)(text) },
    { title: 'ROLES', text: (row) => row.roles.join('+') },
    { title: 'VERSION', text: (row) => row.version },
    { title: 'STARTED', text: (row) => agoText(row.startedAt, terminal.now()) },
    { title: 'SILENT', text: (row) => spanText(row.silentMs), align: 'right' },
    { title: 'SKEW', text: (row) => (row.skewMs === null ? '' : `${row.skewMs} ms`), align: 'right' },
    { title: 'HOLDS', text: (row) => `${row.holds} of ${row.capacity}`, align: 'right' },
    { title: 'ID', text: (row) => row.id },
  ]
}

/** What is wanted of it stands beside it until it is so. */
function stateText({ state, wanted }: Body): string {
  const isDone = wanted === 'active' ? state === 'alive' : wanted === state
  return isDone || state === 'leaving' || state === 'draining' ? state : `${state}, told ${wanted}`
}
