import type { Command } from 'commander'
import { UsageError } from './exit-codes.ts'
import type { Body } from './remote/api-client.ts'
import { limitOf, noun, type PagedFlags, paged, remoteCommand, sure } from './remote/remote-command.ts'
import type { Terminal } from './terminal/terminal.ts'
import { agoText, spanText } from './terminal/time-text.ts'

interface ScopeFlags {
  readonly definition?: string
  readonly instance?: string
  readonly everything?: boolean
}

export function retentionCommand(terminal: Terminal): Command {
  const ofDefinition = (command: Command): Command => command.option('--definition <id>', 'of this workflow (of all)')
  const ofAnything = (command: Command): Command =>
    ofDefinition(command).option('--instance <id>', 'of this instance').option('--everything', 'of everything there is')
  return noun(
    'retention',
    'how long ended instances stay, and what is held back',
    remoteCommand<PagedFlags>(terminal, 'list', 'list rules and holds', paged, async (session, _, flags) => {
      await session.list(
        { path: '/retention/rules', limit: limitOf(flags) },
        [
          { title: 'OF', text: (row) => row.instanceId ?? row.definitionId ?? 'everything' },
          { title: 'RULE', text: ruleText },
          { title: 'SINCE', text: (row) => agoText(row.createdAt, terminal.now()) },
          { title: 'REASON', text: (row) => row.reason ?? '', elastic: true },
        ],
        'No rules: the nodes keep completed ones 30 days and faulted ones 90, or what LOCKSTEP_RETENTION says',
      )
    }),
    remoteCommand<{ definition?: string }>(
      terminal,
      'keep <status> <duration>',
      'keep what ended so for so long: completed 30d, faulted forever',
      ofDefinition,
      async (session, [status, keep], { definition: definitionId }) => {
        await session.api.call('PUT', '/retention/rules', { body: { definitionId, status, keep } })
        session.done(
          `${status} instances of ${definitionId ?? 'all workflows'} are kept ${keep === 'forever' ? 'for ever' : `for ${keep}`}`,
          {},
        )
      },
    ),
    remoteCommand<{ definition?: string }>(
      terminal,
      'forget <status>',
      'take a rule away: the wider one holds again',
      ofDefinition,
      async (session, [status], { definition: definitionId }) => {
        await session.api.call('DELETE', '/retention/rules', { query: { definitionId, status } })
        session.done(`No rule for ${status} instances of ${definitionId ?? 'all workflows'} any more`, {})
      },
    ),
    remoteCommand<ScopeFlags & { reason: string }>(
      terminal,
      'hold',
      'delete nothing of this until it is released',
      (c) => ofAnything(c).requiredOption('--reason <text>', 'why'),
      async (session, _, { reason, ...flags }) => {
        const scope = scopeOf(flags)
        await session.api.call('PUT', '/retention/holds', { body: { ...scope, reason } })
        session.done(`Nothing of ${scopeText(flags)} is deleted`, {})
      },
    ),
    remoteCommand<ScopeFlags>(terminal, 'release', 'release a hold', ofAnything, async (session, _, flags) => {
      await session.api.call('DELETE', '/retention/holds', { query: scopeOf(flags) })
      session.done(`The hold on ${scopeText(flags)} is released`, {})
    }),
    remoteCommand<{ yes?: boolean }>(
      terminal,
      'sweep',
      'delete now what may go',
      (c) => c.option('-y, --yes', 'do not ask'),
      async (session, _, { yes }) => {
        await sure(session, yes, 'Delete now every instance whose time is over?')
        session.progress.show('Sweeping …')
        const { body } = await session.api.call('POST', '/retention/sweep').finally(() => session.progress.clear())
        session.done(`Deleted ${body.instances} instances with ${body.rows} facts (${body.ended})`, body)
      },
    ),
  )
}

const ruleText = (row: Body): string =>
  row.kind === 'hold'
    ? 'held'
    : `${row.status} kept ${row.keepMs === null ? 'for ever' : `for ${spanText(row.keepMs)}`}`

function scopeOf({ definition, instance, everything }: ScopeFlags): { definitionId?: string; instanceId?: string } {
  const said = [definition, instance, everything].filter((each) => each !== undefined)
  if (said.length !== 1) throw new UsageError({ text: 'Name one of --definition, --instance and --everything' })
  return {
    ...(definition === undefined ? {} : { definitionId: definition }),
    ...(instance === undefined ? {} : { instanceId: instance }),
  }
}

const scopeText = ({ definition, instance }: ScopeFlags): string => instance ?? definition ?? 'everything'
