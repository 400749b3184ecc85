import type { Command } from 'commander'
import { readDocument } from './document/read-document.ts'
import { type Body, unlessMissing } from './remote/api-client.ts'
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
import { readJson, readText } from './terminal/read-argument.ts'
import { statusPaint } from './terminal/status-look.ts'
import type { Terminal } from './terminal/terminal.ts'
import { agoText } from './terminal/time-text.ts'
import { type WatchFlags, watched, watching } from './terminal/watch.ts'

export function schedulesCommand(terminal: Terminal): Command {
  const post = (verb: 'pause' | 'resume', description: string, told: string): Command =>
    remoteCommand(
      terminal,
      `${verb} <id>`,
      description,
      (c) => c,
      async (session, [id]) => {
        const { body } = await session.api.call('POST', pathOf('schedules', id!, verb))
        session.done(`${id} ${told}`, body)
      },
    )
  return noun(
    'schedules',
    'when workflows and jobs run by themselves',
    remoteCommand<PagedFlags & WatchFlags & { definition?: string; paused?: boolean }>(
      terminal,
      'list',
      'list schedules',
      (c) =>
        watched(paged(c))
          .option('--definition <id>', 'those of this workflow')
          .option('--paused', 'those that are paused'),
      async (session, _, { definition, paused, ...flags }) =>
        watching(terminal, flags, async () => {
          await session.list(
            { path: '/schedules', query: { definition, paused }, limit: limitOf(flags) },
            [
              { title: 'ID', text: (row) => row.id },
              { title: 'RUNS', text: (row) => row.definitionId ?? '' },
              { title: 'WHEN', text: (row) => whenText(row.document), elastic: true },
              { title: 'NEXT', text: (row) => (row.paused ? 'paused' : agoText(row.nextAt, terminal.now())) },
              { title: 'LAST', text: (row) => agoText(row.lastFiredAt, terminal.now()) },
              { title: 'OWNER', text: (row) => row.owner ?? '' },
            ],
            'No schedules',
          )
        }),
    ),
    remoteCommand(
      terminal,
      'get <id>',
      'show a schedule',
      (c) => c,
      async (session, [id]) => {
        const { body } = await session.api.call('GET', pathOf('schedules', id!))
        session.fields(body, [
          ['id', body.id],
          ['name', body.name ?? undefined],
          ['runs', body.definitionId ?? undefined],
          ['when', whenText(body.document)],
          ['next', body.paused ? 'paused' : `${body.nextAt} (${agoText(body.nextAt, terminal.now())})`],
          ['last', agoText(body.lastFiredAt, terminal.now())],
          ['owner', body.owner ?? undefined],
          ['document', JSON.stringify(body.document)],
        ])
      },
    ),
    remoteCommand(
      terminal,
      'apply <file>',
      'create or replace a schedule from JSON or YAML; - reads standard input',
      (c) => c,
      async (session, [file]) => apply(session, file!),
    ),
    remoteCommand<{ yes?: boolean }>(
      terminal,
      'delete <id>',
      'remove a schedule; its runs go on',
      (c) => c.option('-y, --yes', 'do not ask'),
      async (session, [id], { yes }) => {
        await sure(session, yes, `Remove schedule ${id}?`)
        await session.api.call('DELETE', pathOf('schedules', id!))
        session.done(`${id} is removed`, { id })
      },
    ),
    post('pause', 'let occurrences go by', 'is paused'),
    post('resume', 'let it fire again', 'fires again'),
    remoteCommand<{ key?: string; force?: boolean; input?: string }>(
      terminal,
      'trigger <id>',
      'run it once now',
      (c) =>
        c
          .option('--key <key>', 'names the run: the same key gets the same run')
          .option('--force', 'even when an earlier run is under way')
          .option('--input <json>', 'JSON, @file, or - for standard input'),
      async (session, [id], { key, force, input }) => {
        const wanted = { key, force, input: await readJson(terminal, '--input', input) }
        const { body } = await session.api.call('POST', pathOf('schedules', id!, 'trigger'), { body: wanted })
        const what =
          body.outcome === 'started'
            ? `started ${body.instanceId}`
            : `${body.outcome}${body.reason === null ? '' : ` (${body.reason})`}`
        session.done(`${id}: ${what}`, body)
      },
    ),
    remoteCommand<{ from: string; to: string; overlap?: string }>(
      terminal,
      'backfill <id>',
      'run occurrences of a range that never fired',
      (c) =>
        c
          .requiredOption('--from <instant>', 'ISO 8601 with a zone')
          .requiredOption('--to <instant>', 'the first that is too late')
          .option('--overlap <policy>', 'queue: one after another; allow: all at once'),
      async (session, [id], flags) => backfill(session, id!, flags),
    ),
    remoteCommand<{ count?: string }>(
      terminal,
      'next [id]',
      'show when a schedule fires next, or which schedules do',
      (c) => c.option('--count <number>', 'most fires, or schedules, to show (10)'),
      async (session, [id], { count = '10' }) => {
        if (id !== undefined) return preview(session, id, { count })
        const rows = await session.api.list('/schedules', { paused: false }, Number.MAX_SAFE_INTEGER)
        const coming = rows
          .filter(({ nextAt }) => nextAt !== null)
          .sort((a, b) => Date.parse(a.nextAt) - Date.parse(b.nextAt))
        session.table(
          coming.slice(0, limitOf({ limit: count })),
          [
            { title: 'AT', text: (row) => row.nextAt },
            { title: 'IN', text: (row) => agoText(row.nextAt, terminal.now()) },
            { title: 'ID', text: (row) => row.id },
            { title: 'RUNS', text: (row) => row.definitionId ?? '' },
          ],
          'Nothing is going to fire',
        )
      },
    ),
    remoteCommand<{ count?: string; from?: string }>(
      terminal,
      'preview <idOrFile>',
      'show the next fires of a schedule, or of a file that is none yet',
      (c) =>
        c.option('--count <number>', 'fires to show (10)').option('--from <instant>', 'ISO 8601 with a zone (now)'),
      async (session, [what], query) => preview(session, what!, query),
    ),
    remoteCommand<PagedFlags>(
      terminal,
      'runs <id>',
      'what became of its occurrences',
      paged,
      async (session, [id], flags) => {
        await session.list(
          { path: pathOf('schedules', id!, 'runs'), limit: limitOf(flags) },
          [
            { title: 'NOMINAL', text: (row) => row.nominalAt },
            { title: 'STATE', text: (row) => row.state, paint: (text, row) => statusPaint(terminal, row.state)(text) },
            { title: 'ORIGIN', text: (row) => row.origin },
            { title: 'ENDED AS', text: (row) => row.status ?? '' },
            { title: 'INSTANCE', text: (row) => row.instanceId ?? '' },
            { title: 'NOTE', text: (row) => noteText(row), elastic: true },
          ],
          'It has not fired yet',
        )
      },
    ),
    remoteCommand(
      terminal,
      'run-due',
      'fire everything that is due, now',
      (c) => c,
      async (session) => {
        const { body } = await session.api.call('POST', '/schedules/run-due')
        session.done(`Started ${body.started}, waiting ${body.waiting}, skipped ${body.skipped}`, body)
      },
    ),
  )
}

function whenText({ trigger, dependency }: Body): string {
  if (trigger === undefined) return dependency === undefined ? '' : `after ${dependency.jobs?.join(', ') ?? 'others'}`
  const zone = trigger.zone === undefined ? '' : ` ${trigger.zone}`
  if (trigger.cron !== undefined) return `${trigger.cron}${zone}`
  return trigger.interval === undefined ? `once at ${trigger.at}` : `every ${trigger.interval}`
}

const noteText = (run: Body): string =>
  [
    run.reason,
    run.late ? 'late' : undefined,
    run.count > 1 ? `${run.exact ? '' : 'over '}${run.count} occurrences` : undefined,
  ]
    .filter(Boolean)
    .join(', ')

/** Creates it, or replaces what is there as it was read a moment ago: nobody's change is lost. */
async function apply({ api, terminal, done }: Session, file: string): Promise<void> {
  const document = await readDocument(await readText(terminal, file), file)
  const place = typeof document.id === 'string' ? pathOf('schedules', document.id) : undefined
  const known = place === undefined ? undefined : await api.call('GET', place).catch(unlessMissing)
  const { body } =
    place === undefined || known === undefined
      ? await api.call('POST', '/schedules', { body: document })
      : await api.call('PUT', place, { body: document, headers: { 'if-match': known.etag ?? '*' } })
  const next = body.nextAt === null ? 'it does not fire' : `it fires next at ${body.nextAt}`
  done(`${body.id} is ${known === undefined ? 'created' : 'replaced'}; ${next}`, body)
}

async function backfill(
  session: Session,
  id: string,
  range: { from: string; to: string; overlap?: string },
): Promise<void> {
  const sum = { started: 0, queued: 0, existing: 0 }
  let from: string | null = range.from
  while (from !== null) {
    const body: Body = (
      await session.api.call('POST', pathOf('schedules', id, 'backfill'), { body: { ...range, from } })
    ).body
    sum.started += body.started
    sum.queued += body.queued
    sum.existing += body.existing
    // No room for any more at the moment: what waits must start first.
    from = body.moreFrom === from ? null : body.moreFrom
    session.progress.show(`${id}: ${sum.started + sum.queued} runs so far`)
  }
  session.progress.clear()
  session.done(`${id}: started ${sum.started}, queued ${sum.queued}, had run before ${sum.existing}`, sum)
}

async function preview(
  session: Session,
  what: string,
  { count, from }: { count?: string; from?: string },
): Promise<void> {
  const query = { count, from }
  const { terminal, api } = session
  const isFile = what === '-' || /[./\\]/.test(what)
  const { body } = isFile
    ? await api.call('POST', '/schedules/preview', {
        query,
        body: await readDocument(await readText(terminal, what), what),
      })
    : await api.call('GET', pathOf('schedules', what, 'preview'), { query })
  session.table(
    body.items,
    [
      { title: 'AT', text: (row) => row.at },
      { title: 'ON THE WALL', text: (row) => `${row.wall} ${row.offset}` },
      { title: 'STATUS', text: (row) => row.status, paint: (text, row) => statusPaint(terminal, row.status)(text) },
      {
        title: 'NOTE',
        text: (row) => [row.dst, row.calendar, row.nominal && `asked for ${row.nominal}`].filter(Boolean).join(', '),
      },
    ],
    'It never fires',
  )
}
