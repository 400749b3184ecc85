import type { Command } from 'commander'
import type { Body } from './remote/api-client.ts'
import { agreed, limitOf, noun, type PagedFlags, paged, pathOf, remoteCommand } from './remote/remote-command.ts'
import { readJson } from './terminal/read-argument.ts'
import { statusPaint } from './terminal/status-look.ts'
import type { Terminal } from './terminal/terminal.ts'
import { agoText } from './terminal/time-text.ts'
import { type WatchFlags, watched, watching } from './terminal/watch.ts'

interface ListFlags extends PagedFlags, WatchFlags {
  readonly state?: string
  readonly definition?: string
  readonly code?: string
  readonly fingerprint?: string
  readonly instance?: string
}

export function incidentsCommand(terminal: Terminal): Command {
  return noun(
    'incidents',
    'what went wrong and waits for a person',
    remoteCommand<ListFlags>(
      terminal,
      'list',
      'list incidents, newest first',
      (c) =>
        watched(paged(c))
          .option('--state <state>', 'open or resolved (open)', 'open')
          .option('--definition <id>', 'of this workflow')
          .option('--code <code>', 'of this failure')
          .option('--fingerprint <text>', 'those that are alike')
          .option('--instance <id>', 'of this instance'),
      async (session, _, { state, definition, code, fingerprint, instance, ...flags }) =>
        watching(terminal, flags, async () => {
          const query = { state, definition, code, fingerprint, instance }
          await session.list(
            { path: '/incidents', query, limit: limitOf(flags) },
            [
              { title: 'ID', text: (row) => row.id },
              {
                title: 'STATE',
                text: (row) => row.state,
                paint: (text, row) => statusPaint(terminal, row.state)(text),
              },
              { title: 'WORKFLOW', text: (row) => `${row.definitionId} v${row.version}` },
              { title: 'STEP', text: (row) => row.step ?? '' },
              { title: 'CODE', text: (row) => row.code },
              { title: 'OPENED', text: (row) => agoText(row.openedAt, terminal.now()) },
              { title: 'MESSAGE', text: (row) => row.message, elastic: true },
            ],
            `No ${state ?? ''} incidents`.replace('  ', ' '),
          )
        }),
    ),
    remoteCommand<{ definition?: string; muted?: boolean }>(
      terminal,
      'groups',
      'count open incidents that are alike',
      (c) =>
        c
          .option('--definition <id>', 'of this workflow')
          .option('--muted', 'only those that are muted')
          .option('--no-muted', 'only those that are not'),
      async (session, _, { definition, muted }) => {
        const { body } = await session.api.call('GET', '/incidents/groups', { query: { definition, muted } })
        session.table(
          body.items,
          [
            { title: 'OPEN', text: (row) => String(row.open), align: 'right' },
            { title: 'WORKFLOW', text: (row) => row.definitionId },
            { title: 'STEP', text: (row) => row.step ?? '' },
            { title: 'CODE', text: (row) => row.code },
            { title: 'LAST', text: (row) => agoText(row.lastAt, terminal.now()) },
            { title: 'CARE', text: careText },
            { title: 'FINGERPRINT', text: (row) => row.fingerprint },
            { title: 'MESSAGE', text: (row) => row.message, elastic: true },
          ],
          'No open incidents',
        )
      },
    ),
    remoteCommand(
      terminal,
      'get <id>',
      'show an incident',
      (c) => c,
      async (session, [id]) => {
        const { body } = await session.api.call('GET', pathOf('incidents', id!))
        session.fields(body, [
          ['id', body.id],
          ['state', body.state, statusPaint(terminal, body.state)],
          ['instance', `${body.instanceId} (${body.instanceStatus})`],
          ['workflow', `${body.definitionId} version ${body.version}`],
          ['step', body.step ?? undefined],
          ['failure', `${body.code}: ${body.message}`],
          ['opened', agoText(body.openedAt, terminal.now())],
          [
            'resolved',
            body.resolvedAt === null ? undefined : `${agoText(body.resolvedAt, terminal.now())} (${body.resolution})`,
          ],
          ['note', body.note ?? undefined],
          ['fingerprint', body.fingerprint],
        ])
      },
    ),
    remoteCommand<{ retry?: boolean; completed?: boolean; failed?: string; result?: string; note?: string }>(
      terminal,
      'resolve <id>',
      'say what became of it; without a flag it is only noted',
      (c) =>
        c
          .option('--retry', 'send its instance back to work')
          .option('--completed', 'the step had happened')
          .option('--result <json>', 'with --completed: what it gave; JSON, @file, or -')
          .option('--failed <message>', 'the step had failed, and why')
          .option('--note <text>', 'what was found and done'),
      async (session, [id], { retry, completed, failed, result, note }) => {
        const outcome = retry ? 'retry' : completed ? 'completed' : failed === undefined ? undefined : 'failed'
        const wanted = { outcome, message: failed, output: await readJson(terminal, '--result', result), note }
        const { body } = await session.api.call('POST', pathOf('incidents', id!, 'resolve'), { body: wanted })
        session.done(`${id} is resolved (${body.resolution ?? 'asked for'})`, body)
      },
    ),
    tendCommand(
      terminal,
      'acknowledge <fingerprint>',
      'say that you have seen open incidents that are alike',
      (c) => c.option('--undo', 'take it back'),
      (_, { undo }) => ({ acknowledged: undo !== true }),
    ),
    tendCommand(
      terminal,
      'assign <fingerprint> [person]',
      'say who sees to them; without a name, nobody',
      (c) => c,
      ([, person]) => ({ assignee: person ?? null }),
    ),
    tendCommand(
      terminal,
      'mute <fingerprint>',
      'leave them out of what needs attention, until then or until a version that is published later fails so',
      (c) => c.requiredOption('--for <duration>', 'for how long: 30m, 8h, 7d'),
      (_, { for: mute }) => ({ mute }),
    ),
    tendCommand(
      terminal,
      'unmute <fingerprint>',
      'let them need attention again',
      (c) => c,
      () => ({ mute: null }),
    ),
    remoteCommand<{ retry?: boolean; note?: string; dryRun?: boolean; yes?: boolean }>(
      terminal,
      'resolve-alike <fingerprint>',
      'resolve all open incidents of a group',
      (c) =>
        c
          .option('--retry', 'send their instances back to work')
          .option('--note <text>', 'what was found and done')
          .option('--dry-run', 'say how many there are, and change nothing')
          .option('-y, --yes', 'do not ask'),
      async (session, [fingerprint], flags) => {
        const query = { fingerprint, state: 'open', limit: 1 }
        const { value, exact } = (await session.api.call('GET', '/incidents', { query })).body.count
        const standing = `${exact ? '' : 'at least '}${value} open incidents have this fingerprint`
        if (flags.dryRun === true) return session.done(standing, { open: value, exact })
        if (value > 0)
          await agreed(
            session,
            flags.yes,
            `${standing}. Resolve them${flags.retry ? ' and retry their instances' : ''}?`,
          )
        const sum: Record<string, number> = {}
        let more = true
        while (more) {
          const { body } = await session.api.call('POST', '/incidents/resolve-alike', {
            body: { fingerprint, ...only(flags) },
          })
          for (const [outcome, count] of Object.entries(body.outcomes as Record<string, number>))
            sum[outcome] = (sum[outcome] ?? 0) + count
          // What cannot be resolved stays open, and would be tried for ever.
          more = body.more && (body.outcomes.resolved ?? 0) > 0
          session.progress.show(`${sum.resolved ?? 0} resolved so far`)
        }
        session.progress.clear()
        const told = Object.entries(sum).map(([outcome, count]) => `${count} ${outcome}`)
        session.done(told.length === 0 ? 'No open incidents have this fingerprint' : told.join(', '), sum)
      },
    ),
  )
}

const only = ({ retry, note }: { retry?: boolean; note?: string }) => ({ retry, note })

interface TendFlags {
  readonly undo?: boolean
  readonly for?: string
  readonly note?: string
}

/** Commands that say something of a group differ in what they say. */
function tendCommand(
  terminal: Terminal,
  usage: string,
  summary: string,
  flags: (command: Command) => Command,
  said: (given: readonly (string | undefined)[], flags: TendFlags) => Readonly<Record<string, unknown>>,
): Command {
  return remoteCommand<TendFlags>(
    terminal,
    usage,
    summary,
    (c) => flags(c).option('--note <text>', 'why'),
    async (session, given, wanted) => {
      const path = pathOf('incidents', 'groups', given[0]!, 'tend')
      const { body } = await session.api.call('POST', path, { body: { ...said(given, wanted), note: wanted.note } })
      session.done(`${body.open} open: ${careText(body) || 'nobody has seen them yet'}`, body)
    },
  )
}

function careText({ acknowledgedAt, acknowledgedBy, assignee, mutedUntil }: Body): string {
  const seen = acknowledgedAt === null ? undefined : `seen${acknowledgedBy === null ? '' : ` by ${acknowledgedBy}`}`
  const muted = mutedUntil === null ? undefined : `muted until ${mutedUntil}`
  return [assignee === null ? undefined : `assigned to ${assignee}`, seen, muted].filter(Boolean).join(', ')
}
