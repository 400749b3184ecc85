import type { Command } from 'commander'
import { noun, remoteCommand } from './remote/remote-command.ts'
import { statusPaint } from './terminal/status-look.ts'
import type { Terminal } from './terminal/terminal.ts'
import { agoText, spanText } from './terminal/time-text.ts'
import { type WatchFlags, watched, watching } from './terminal/watch.ts'

export function nodesCommand(terminal: Terminal): Command {
  return noun(
    'nodes',
    'the processes of the cluster',
    remoteCommand<WatchFlags>(terminal, 'list', 'list nodes', watched, async (session, _, flags) =>
      watching(terminal, flags, async () => {
        const { body } = await session.api.call('GET', '/cluster/nodes')
        session.table(
          body.items,
          [
            { title: 'NAME', text: (row) => `${row.name}${row.self ? ' *' : ''}` },
            { title: 'STATE', text: (row) => row.state, paint: (text, row) => statusPaint(terminal, row.state)(text) },
            { title: 'VERSION', text: (row) => row.version },
            { title: 'STARTED', text: (row) => agoText(row.startedAt, terminal.now()) },
            { title: 'SILENT', text: (row) => spanText(row.silentMs), align: 'right' },
            { title: 'HOLDS', text: (row) => String(row.holds), align: 'right' },
            { title: 'ID', text: (row) => row.id },
          ],
          'No node is known',
        )
      }),
    ),
  )
}
