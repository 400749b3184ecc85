import { readFilterText } from '@lockstep/api'
import type { Command } from 'commander'
import { followInstance } from './follow-instance.ts'
import { countText, instanceVerbs, showAffected } from './instance-verbs.ts'
import type { Body } from './remote/api-client.ts'
import { eachOf } from './remote/each-of.ts'
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
import { startCommand } from './start-instance.ts'
import { gather } from './terminal/pairs.ts'
import { readJson } from './terminal/read-argument.ts'
import { statusPaint } from './terminal/status-look.ts'
import type { Terminal } from './terminal/terminal.ts'
import { agoText, spanText } from './terminal/time-text.ts'
import { type WatchFlags, watched, watching } from './terminal/watch.ts'
import { showWhy } from './why.ts'

const I = '/workflow-instances'

interface ListFlags extends PagedFlags, WatchFlags {
  readonly filter?: readonly string[]
  readonly status?: string
  readonly definition?: string
  readonly search?: string
  readonly tag?: string
  readonly sort?: string
}

export function instancesCommand(terminal: Terminal): Command {
  return noun(
    'instances',
    'runs of workflows',
    startCommand(terminal, 'start', 'start an instance; with --wait, follow it to its end'),
    remoteCommand<ListFlags>(
      terminal,
      'list',
      'list instances, newest first unless told',
      (c) =>
        watched(paged(c))
          .option('-f, --filter <terms>', "such as 'status=faulted createdAt>=-1h input.customer=42'", gather)
          .option('--status <list>', 'short for a filter by status')
          .option('--definition <list>', 'short for a filter by workflow')
          .option('--tag <list>', 'short for a filter by tags of the workflow')
          .option('-q, --search <text>', 'short for a filter by text: id, correlation id or workflow')
          .option('--sort <order>', 'createdAt or startedAt, with a minus the newest first (-createdAt)'),
      async (session, _, flags) => watching(terminal, flags, () => list(session, flags)),
    ),
    remoteCommand<WatchFlags>(terminal, 'get <id>', 'show an instance', watched, async (session, [id], flags) =>
      watching(terminal, flags, () => show(session, id!)),
    ),
    remoteCommand<PagedFlags & { newest?: boolean }>(
      terminal,
      'journal <id>',
      'list its facts, oldest first',
      (c) => paged(c).option('--newest', 'newest first'),
      async (session, [id], flags) => journal(session, id!, limitOf(flags), flags.newest === true),
    ),
    remoteCommand<{ at?: string }>(
      terminal,
      'state <id>',
      'show variables, live steps and waits after one of its facts',
      (c) => c.option('--at <seq>', 'number of the fact (the newest)'),
      async (session, [id], { at }) => state(session, id!, at),
    ),
    remoteCommand(
      terminal,
      'watch <id>',
      'print its facts as they happen, until it has ended',
      (c) => c,
      async (session, [id]) => followInstance(session, id!),
    ),
    remoteCommand(
      terminal,
      'why <id>',
      'why it stands where it stands',
      (c) => c,
      async (session, [id]) => showWhy(session, id!),
    ),
    remoteCommand(
      terminal,
      'compensations <id>',
      'list which steps can be undone, were, or could not be',
      (c) => c,
      async (session, [id]) => compensations(session, id!),
    ),
    remoteCommand<{ payload?: string }>(
      terminal,
      'resume <id> [bookmark]',
      'give it what it waits for',
      (c) => c.option('--payload <json>', 'JSON, @file, or - for standard input'),
      async (session, [id, bookmark], { payload }) => {
        const body = { bookmark, payload: await readJson(terminal, '--payload', payload) }
        const { body: told } = await session.api.call('POST', pathOf('workflow-instances', id!, 'resume'), { body })
        session.done(`${id} was resumed`, told)
      },
    ),
    remoteCommand<{ reason?: string; compensate: boolean; yes?: boolean; dryRun?: boolean }>(
      terminal,
      'cancel <ids...>',
      'ask instances to stop',
      (c) =>
        c
          .option('--reason <text>', 'kept in the journal')
          .option('--no-compensate', 'undo nothing')
          .option('--dry-run', 'show them, change nothing')
          .option('-y, --yes', 'do not ask'),
      async (session, ids, { reason, compensate, yes, dryRun }) => {
        if (dryRun === true) return showAffected(session, ids)
        await agreed(session, yes, `Ask ${countText(ids)} to stop?`)
        const wanted = { reason, ...(compensate ? {} : { compensate }) }
        await eachOf(session, ids, async (id) => {
          const { body } = await session.api.call('POST', pathOf('workflow-instances', id, 'cancel'), { body: wanted })
          return { text: `${id} is asked to stop (${body.status})`, body }
        })
      },
    ),
    ...instanceVerbs(terminal),
  )
}

async function compensations(session: Session, id: string): Promise<void> {
  const { body } = await session.api.call('GET', pathOf('workflow-instances', id, 'compensations'))
  session.table(
    body.items,
    [
      { title: 'STEP', text: (row) => row.step },
      { title: 'STATE', text: (row) => row.state },
    ],
    'It has no step that can be undone',
  )
}

async function list(session: Session, flags: ListFlags): Promise<void> {
  const { terminal } = session
  const said = readFilterText((flags.filter ?? []).join(' '))
  const short = { status: flags.status, definition: flags.definition, tag: flags.tag, q: flags.search }
  const now = terminal.now()
  await session.list(
    { path: I, query: { ...short, ...said, sort: flags.sort }, limit: limitOf(flags) },
    [
      { title: 'ID', text: (row) => row.id },
      { title: 'WORKFLOW', text: (row) => `${row.definitionId} v${row.version}` },
      { title: 'STATUS', text: (row) => row.status, paint: (text, row) => statusPaint(terminal, row.status)(text) },
      { title: 'STARTED', text: (row) => agoText(row.createdAt, now) },
      { title: 'TOOK', text: (row) => tookText(row), align: 'right' },
      { title: 'CORRELATION', text: (row) => row.correlationId ?? '', elastic: true },
      { title: 'NOW', text: (row) => nowText(row), elastic: true },
    ],
    'No instance fits',
  )
}

const tookText = (row: Body): string =>
  row.finishedAt === null ? '' : spanText(Date.parse(row.finishedAt) - Date.parse(row.createdAt))

/** What a person wants to know of it at a glance. */
function nowText(row: Body): string {
  if (row.error !== null) return `${row.error.step ?? ''} ${row.error.message ?? row.error.code}`.trim()
  if (row.incidents.length > 0) return `incident ${row.incidents[0].code}`
  return row.waitingFor.map((wait: Body) => `waits for ${wait.name}`).join(', ')
}

async function show(session: Session, id: string): Promise<void> {
  const { body } = await session.api.call('GET', pathOf('workflow-instances', id))
  const now = session.terminal.now()
  session.fields(body, [
    ['id', body.id],
    ['workflow', `${body.definitionId} version ${body.version}`],
    ['status', body.status, statusPaint(session.terminal, body.status)],
    ['started', `${body.createdAt} (${agoText(body.createdAt, now)})`],
    ['ended', body.finishedAt === null ? undefined : `${body.finishedAt} (took ${tookText(body)})`],
    ['correlation', body.correlationId ?? undefined],
    ['parent', body.parentId ?? undefined],
    ['node', body.nodeId ?? undefined],
    ['input', jsonText(body.input)],
    ['output', jsonText(body.output)],
    ['variables', jsonText(body.variables)],
    ['error', jsonText(body.error)],
    ...body.waitingFor.map((wait: Body) => ['waits for', waitText(wait, now)] as const),
    ...body.incidents.map((each: Body) => ['incident', `${each.id} ${each.code} ${each.message}`] as const),
    ['facts', String(body.revision)],
  ])
}

function waitText({ kind, name, bookmarkId, dueAt, expiresAt }: Body, now: number): string {
  const mark = bookmarkId === null ? '' : ` (${bookmarkId})`
  const moves = dueAt === undefined ? '' : `, moves ${agoText(dueAt, now)}`
  return `${kind} ${name}${mark}${moves}${expiresAt === undefined ? '' : `, gives up ${agoText(expiresAt, now)}`}`
}

const jsonText = (value: unknown): string | undefined => (value === null ? undefined : JSON.stringify(value))

async function journal(session: Session, id: string, limit: number, newest: boolean): Promise<void> {
  const path = pathOf('workflow-instances', id, 'journal')
  const rows: Body[] = []
  let next: string | undefined
  do {
    const from = next === undefined ? {} : newest ? { before: next } : { after: next }
    const query = { order: newest ? 'desc' : 'asc', limit: Math.min(200, limit - rows.length), ...from }
    const { body } = await session.api.call('GET', path, { query })
    rows.push(...body.items)
    next = body.page.next ?? undefined
  } while (next !== undefined && rows.length < limit)
  session.table(
    rows,
    [
      { title: 'SEQ', text: (row) => String(row.seq), align: 'right' },
      { title: 'AT', text: (row) => row.at },
      { title: 'FACT', text: (row) => row.kind },
      { title: 'STEP', text: (row) => row.data.step ?? '' },
      { title: 'DATA', text: (row) => factText(row.data), elastic: true },
    ],
    'No facts',
  )
}

/** Everything of a fact but the step, which stands beside it. */
export function factText({ step: _, ...data }: Body): string {
  const text = JSON.stringify(data)
  return text === '{}' ? '' : text
}

async function state(session: Session, id: string, at: string | undefined): Promise<void> {
  const { body } = await session.api.call('GET', pathOf('workflow-instances', id, 'state'), { query: { at } })
  const now = session.terminal.now()
  session.fields(body, [
    ['instance', body.instanceId],
    ['fact', `${body.seq} of ${body.lastSeq} (${agoText(body.at, now)})`],
    ['status', body.status],
    ['input', jsonText(body.input)],
    ['variables', jsonText(body.variables)],
    ['output', jsonText(body.output)],
    ['error', jsonText(body.error)],
    ...body.steps.map((each: Body) => ['step', `${each.step} ${each.phase}, attempt ${each.attempt}`] as const),
    ...body.waits.map(
      (each: Body) =>
        ['wait', `${each.step} ${each.kind} ${each.name ?? ''} ${agoText(each.dueAt, now)}`.trimEnd()] as const,
    ),
  ])
}
