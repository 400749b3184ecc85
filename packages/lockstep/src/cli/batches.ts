import { readFilterText } from '@lockstep/api'
import type { Command } from 'commander'
import { EndedBadly, EXIT, UsageError } from './exit-codes.ts'
import type { Body } from './remote/api-client.ts'
import {
  limitOf,
  noun,
  type PagedFlags,
  paged,
  pathOf,
  remoteCommand,
  type Session,
  sure,
} from './remote/remote-command.ts'
import { gather, pairOf } from './terminal/pairs.ts'
import type { Terminal } from './terminal/terminal.ts'
import { agoText } from './terminal/time-text.ts'

const B = '/batch-operations'
const LOOK_MS = 500

interface RunFlags {
  readonly filter?: readonly string[]
  readonly option?: readonly string[]
  readonly limit?: string
  readonly exclude?: readonly string[]
  readonly reason?: string
  readonly note?: string
  readonly dryRun?: boolean
  readonly wait?: boolean
  readonly yes?: boolean
}

export function batchesCommand(terminal: Terminal): Command {
  return noun(
    'batches',
    'one thing done with many instances',
    remoteCommand<RunFlags>(
      terminal,
      'run <action> [ids...]',
      'cancel, terminate, pause, continue, retry, migrate or delete all that fit a filter',
      (c) =>
        c
          .option('-f, --filter <terms>', "such as 'status=faulted definition=order startedAt>=-1d'", gather)
          .option('--option <name=json>', 'of the action: reason, children, step, version', gather)
          .option('--limit <count>', 'most instances (100000)')
          .option('--exclude <id>', 'not this one; again for each further one', gather)
          .option('--reason <text>', 'kept with it, and told to the instances by cancel, terminate and pause')
          .option('--note <text>', 'kept with it')
          .option('--dry-run', 'count, and change nothing')
          .option('--wait', 'follow it to its end')
          .option('-y, --yes', 'do not ask'),
      run,
    ),
    remoteCommand<PagedFlags>(terminal, 'list', 'list batch operations', paged, async (session, _, flags) => {
      await session.list(
        { path: B, limit: limitOf(flags) },
        [
          { title: 'ID', text: (row) => row.id },
          { title: 'ACTION', text: (row) => row.action },
          { title: 'STATE', text: (row) => row.state },
          { title: 'DONE', text: (row) => `${row.done}/${row.total}`, align: 'right' },
          { title: 'STARTED', text: (row) => agoText(row.createdAt, terminal.now()) },
          { title: 'OUTCOMES', text: outcomesText, elastic: true },
        ],
        'No batch operations',
      )
    }),
    remoteCommand<PagedFlags & { outcome?: string }>(
      terminal,
      'get <id>',
      'show a batch operation and what became of its instances',
      (c) => paged(c).option('--outcome <outcome>', 'only instances with this one'),
      async (session, [id], { outcome, ...flags }) => {
        const { body } = await session.api.call('GET', pathOf('batch-operations', id!))
        const items = await session.api.list(pathOf('batch-operations', id!, 'items'), { outcome }, limitOf(flags))
        if (session.output !== 'table') return session.done('', { ...body, items })
        session.fields(body, [
          ['id', body.id],
          ['action', `${body.action} ${JSON.stringify(body.options)}`],
          ['filter', filterWords(body.filter)],
          ['ids', body.target?.ids === undefined ? undefined : `${body.target.ids.length} by id`],
          ['without', body.target?.exclude === undefined ? undefined : `${body.target.exclude.length} by id`],
          ['state', body.state],
          ['done', `${body.done} of ${body.total}${body.cut ? ', cut at its limit' : ''}`],
          ['outcomes', outcomesText(body)],
          ['note', body.note ?? undefined],
        ])
        terminal.out('\n')
        session.table(
          items,
          [
            { title: 'INSTANCE', text: (row) => row.instanceId },
            { title: 'OUTCOME', text: (row) => row.outcome ?? 'not yet' },
            { title: 'DETAIL', text: (row) => row.detail ?? '', elastic: true },
          ],
          'It has no instances',
        )
      },
    ),
    remoteCommand(
      terminal,
      'cancel <id>',
      'leave undone what is not done yet',
      (c) => c,
      async (session, [id]) => {
        const { body } = await session.api.call('POST', pathOf('batch-operations', id!, 'cancel'))
        session.done(`${id} is cancelled after ${body.done} of ${body.total}`, body)
      },
    ),
    remoteCommand(
      terminal,
      'pause <id>',
      'let it rest until it is continued',
      (c) => c,
      async (session, [id]) => {
        const { body } = await session.api.call('POST', pathOf('batch-operations', id!, 'pause'))
        session.done(`${id} is paused after ${body.done} of ${body.total}`, body)
      },
    ),
    remoteCommand(
      terminal,
      'continue <id>',
      'go on where it was paused',
      (c) => c,
      async (session, [id]) => {
        const { body } = await session.api.call('POST', pathOf('batch-operations', id!, 'continue'))
        session.done(`${id} goes on after ${body.done} of ${body.total}`, body)
      },
    ),
  )
}

/** As `--filter` takes it. Nodes of an earlier version tell it in words of their own. */
const filterWords = (filter: Readonly<Record<string, unknown>>): string | undefined =>
  Object.entries(filter)
    .map(([name, value]) => `${name}=${quoted(typeof value === 'object' ? JSON.stringify(value) : String(value))}`)
    .join(' ') || undefined

const quoted = (text: string): string => (/^[^\s&"']+$/.test(text) ? text : `"${text.replace(/["\\]/g, '\\$&')}"`)

const outcomesText = ({ outcomes }: Body): string =>
  Object.entries(outcomes as Record<string, number>)
    .map(([outcome, count]) => `${count} ${outcome}`)
    .join(', ')

async function run(session: Session, [action, ...ids]: readonly string[], flags: RunFlags): Promise<void> {
  const { api } = session
  const filter = readFilterText((flags.filter ?? []).join(' '))
  const target = {
    ...(Object.keys(filter).length === 0 ? {} : { filter: withNumbers(filter) }),
    ...(ids.length === 0 ? {} : { ids }),
  }
  if (Object.keys(target).length === 0)
    throw new UsageError({ text: 'Say which instances: ids, or --filter with at least one condition' })
  const { exclude, reason, note, limit } = flags
  const request = {
    action,
    target: { ...target, exclude },
    options: flags.option && Object.fromEntries(flags.option.map(optionOf)),
    limit: limit === undefined ? undefined : limitOf({ limit }),
    reason,
    note,
  }
  const { body: preview } = await api.call('POST', B, { body: { ...request, dryRun: true } })
  const count = `${preview.exact ? '' : 'more than '}${preview.count} instance${preview.count === 1 ? '' : 's'}${leftText(preview)}`
  if (flags.dryRun === true) return session.done(`${action} would be done with ${count}`, preview)
  await sure(session, flags.yes, `Do ${action} with ${count}?`)
  // Of that moment: what was counted is what it is done with.
  const counted = { ...request, target: { ...request.target, asOf: preview.asOf } }
  const { body } = await api.call('POST', B, { body: counted })
  if (flags.wait !== true) return session.done(`${body.id} is under way`, body)
  await follow(session, body.id)
}

/** Why fewer than fit. */
function leftText({ skipped }: Body): string {
  if (skipped.count === 0) return ''
  const reasons = Object.entries(skipped.reasons as Record<string, number>).map(([reason, each]) => `${each} ${reason}`)
  return `, and not with ${skipped.count} that fit: ${reasons.join(', ')}`
}

const withNumbers = (filter: Readonly<Record<string, string>>): Record<string, unknown> =>
  'version' in filter ? { ...filter, version: Number(filter.version) } : { ...filter }

function optionOf(text: string): [string, unknown] {
  const [name, value] = pairOf('--option', text)
  try {
    return [name, JSON.parse(value)]
  } catch {
    return [name, value]
  }
}

async function follow(session: Session, id: string): Promise<void> {
  const { terminal, api, progress } = session
  for (;;) {
    const { body } = await api.call('GET', pathOf('batch-operations', id))
    progress.show(`${body.state} ${body.done} of ${body.total}`)
    if (body.state === 'done' || body.state === 'cancelled') {
      progress.clear()
      return session.done(`${id} is ${body.state}: ${outcomesText(body) || 'no instance fitted'}`, body)
    }
    if (!(await terminal.pause(LOOK_MS)))
      throw new EndedBadly({ text: `${id} goes on; see "lockstep batches get ${id}"`, exitCode: EXIT.interrupted })
  }
}
