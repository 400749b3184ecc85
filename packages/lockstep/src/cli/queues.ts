import type { Command } from 'commander'
import { noun, remoteCommand } from './remote/remote-command.ts'
import type { Terminal } from './terminal/terminal.ts'
import { agoText } from './terminal/time-text.ts'
import { type WatchFlags, watched, watching } from './terminal/watch.ts'

export function queuesCommand(terminal: Terminal): Command {
  return noun(
    'queues',
    'what waits for a worker',
    remoteCommand<WatchFlags>(
      terminal,
      'list',
      'list queues with what is due and what comes later',
      watched,
      async (session, _, flags) =>
        watching(terminal, flags, async () => {
          const { body } = await session.api.call('GET', '/queues')
          const ago = (at: string | null): string => agoText(at, terminal.now())
          session.table(
            body.items,
            [
              { title: 'QUEUE', text: (row) => row.name, elastic: true },
              { title: 'DUE', text: (row) => String(row.due), align: 'right' },
              { title: 'OLDEST', text: (row) => ago(row.oldestDueAt) },
              { title: 'LATER', text: (row) => String(row.later), align: 'right' },
              { title: 'NEXT', text: (row) => ago(row.nextDueAt) },
            ],
            'Nothing waits',
          )
        }),
    ),
  )
}
