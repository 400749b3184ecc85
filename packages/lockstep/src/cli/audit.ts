import type { Command } from 'commander'
import { limitOf, noun, type PagedFlags, paged, remoteCommand } from './remote/remote-command.ts'
import type { Terminal } from './terminal/terminal.ts'

interface AuditFlags extends PagedFlags {
  readonly actor?: string
  readonly operation?: string
  readonly outcome?: string
}

export function auditCommand(terminal: Terminal): Command {
  return noun(
    'audit',
    'who changed what',
    remoteCommand<AuditFlags>(
      terminal,
      'list',
      'list changes and attempts to resume, newest first',
      (c) =>
        paged(c)
          .option('--actor <id>', 'only by this one: user:ana')
          .option('--operation <name>', 'only this operation: resumeWorkflowInstance')
          .option('--outcome <code>', 'done, or the code of a problem'),
      async (session, _, { actor, operation, outcome, ...flags }) => {
        const rows = await session.api.list('/audit-log', { actor, operation, outcome }, limitOf(flags))
        session.table(
          rows,
          [
            { title: 'AT', text: (row) => row.at },
            { title: 'WHO', text: (row) => row.actor.id },
            { title: 'OPERATION', text: (row) => row.operation },
            { title: 'TARGET', text: (row) => row.target, elastic: true },
            { title: 'OUTCOME', text: (row) => row.outcome },
            { title: 'FROM', text: (row) => row.address },
          ],
          'No entries',
        )
      },
    ),
  )
}
