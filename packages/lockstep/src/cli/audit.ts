import type { Command } from 'commander'
import { ServerProblem } from './exit-codes.ts'
import { limitOf, noun, type PagedFlags, paged, remoteCommand } from './remote/remote-command.ts'
import type { Terminal } from './terminal/terminal.ts'

interface AuditFlags extends PagedFlags {
  readonly target?: string
  readonly actor?: string
  readonly operation?: string
  readonly outcome?: string
  readonly since?: string
  readonly until?: string
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
          .option('--target <id>', 'only about this: an instance, a workflow, a user')
          .option('--actor <id>', 'only by this one: user:ana')
          .option('--operation <name>', 'only this operation: resumeWorkflowInstance')
          .option('--outcome <code>', 'done, or the code of a problem')
          .option('--since <time>', 'not before: -2h, 2026-03-29, or 2026-03-29T01:00:00Z')
          .option('--until <time>', 'before this, in the same way'),
      async (session, _, { target, actor, operation, outcome, since, until, ...flags }) => {
        const query = { target, actor, operation, outcome, 'at[gte]': since, 'at[lt]': until }
        const listed = session.list(
          { path: '/audit-log', query, limit: limitOf(flags) },
          [
            { title: 'AT', text: (row) => row.at },
            { title: 'WHO', text: (row) => row.actor.id },
            { title: 'OPERATION', text: (row) => (row.times > 1 ? `${row.operation} ×${row.times}` : row.operation) },
            { title: 'TARGET', text: (row) => [row.target, ...row.made].filter(Boolean).join(' → '), elastic: true },
            { title: 'OUTCOME', text: (row) => row.outcome },
            { title: 'FROM', text: (row) => row.address },
          ],
          'No entries',
        )
        await listed.catch(inFlags)
      },
    ),
  )
}

const FLAGS: Readonly<Record<string, string>> = { 'at[gte]': '--since', 'at[lt]': '--until' }

/** The server names terms of the query; who reads it has said flags. */
function inFlags(error: unknown): never {
  if (!ServerProblem.is(error)) throw error
  const { status, problem } = error.details
  const detail = problem.detail.replace(/"(at\[\w+\])"/g, (said, term: string) => FLAGS[term] ?? said)
  throw new ServerProblem({ status, problem: { ...problem, detail } }, { cause: error })
}
