import type { Command } from 'commander'
import { limitOf, noun, type PagedFlags, paged, pathOf, remoteCommand } from './remote/remote-command.ts'
import { readJson } from './terminal/read-argument.ts'
import type { Terminal } from './terminal/terminal.ts'
import { agoText } from './terminal/time-text.ts'
import { type WatchFlags, watched, watching } from './terminal/watch.ts'

interface TaskFlags extends PagedFlags, WatchFlags {
  readonly queue?: string
  readonly name?: string
  readonly status?: string
  readonly instance?: string
}

/** What workers of other programs claim. They complete it themselves, with the lease they have. */
export function tasksCommand(terminal: Terminal): Command {
  return noun(
    'tasks',
    'work for programs outside',
    remoteCommand<TaskFlags>(
      terminal,
      'list',
      'list tasks of workers, newest first',
      (c) =>
        watched(paged(c))
          .option('--queue <name>', 'those of this queue')
          .option('--name <name>', 'those of this name')
          .option('--status <status>', 'open, claimed, completed, failed or cancelled')
          .option('--instance <id>', 'those of this instance'),
      async (session, _, { queue, name, status, instance: instanceId, ...flags }) =>
        watching(terminal, flags, () =>
          session.list(
            { path: '/tasks', query: { queue, name, status, instanceId }, limit: limitOf(flags) },
            [
              { title: 'ID', text: (row) => row.id },
              { title: 'NAME', text: (row) => row.name, elastic: true },
              { title: 'QUEUE', text: (row) => row.queue },
              { title: 'STATUS', text: (row) => row.status },
              { title: 'WORKER', text: (row) => row.worker ?? '' },
              { title: 'CREATED', text: (row) => agoText(row.createdAt, terminal.now()) },
              { title: 'INSTANCE', text: (row) => row.instanceId },
            ],
            'No tasks',
          ),
        ),
    ),
    remoteCommand(
      terminal,
      'get <id>',
      'show a task of a worker',
      (c) => c,
      async (session, [id]) => {
        const { body } = await session.api.call('GET', pathOf('tasks', id!))
        session.fields(body, [
          ['id', body.id],
          ['name', body.name],
          ['queue', body.queue],
          ['status', body.status],
          ['worker', body.worker ?? undefined],
          ['claim ends', body.leaseEndsAt === null ? undefined : agoText(body.leaseEndsAt, terminal.now())],
          ['payload', body.payload === null ? undefined : JSON.stringify(body.payload)],
          ['progress', body.progress === null ? undefined : JSON.stringify(body.progress)],
          ['instance', body.instanceId],
          ['step', body.step],
        ])
      },
    ),
  )
}

interface HumanTaskFlags extends PagedFlags, WatchFlags {
  readonly status?: string
  readonly assignee?: string
  readonly candidate?: string
  readonly instance?: string
}

/** What people decide. */
export function humanTasksCommand(terminal: Terminal): Command {
  return noun(
    'human-tasks',
    'what people have to decide',
    remoteCommand<HumanTaskFlags>(
      terminal,
      'list',
      'list what people have to do, newest first',
      (c) =>
        watched(paged(c))
          .option('--status <status>', 'open, completed or cancelled (open)')
          .option('--assignee <name>', 'what this one is to do')
          .option('--candidate <name>', 'what nobody is assigned to and this one may do')
          .option('--instance <id>', 'those of this instance'),
      async (session, _, { status, assignee, candidate, instance: instanceId, ...flags }) =>
        watching(terminal, flags, () =>
          session.list(
            { path: '/human-tasks', query: { status, assignee, candidate, instanceId }, limit: limitOf(flags) },
            [
              { title: 'ID', text: (row) => row.id },
              { title: 'TITLE', text: (row) => row.title, elastic: true },
              { title: 'FOR', text: (row) => row.assignee ?? row.candidates.join(', '), elastic: true },
              { title: 'STATUS', text: (row) => row.outcome ?? row.status },
              { title: 'DUE', text: (row) => agoText(row.dueAt, terminal.now()) },
              { title: 'INSTANCE', text: (row) => row.instanceId },
            ],
            'Nobody has anything to decide',
          ),
        ),
    ),
    remoteCommand(
      terminal,
      'get <id>',
      'show what is to be decided, and with which outcomes',
      (c) => c,
      async (session, [id]) => {
        const { body } = await session.api.call('GET', pathOf('human-tasks', id!))
        session.fields(body, [
          ['id', body.id],
          ['title', body.title],
          ['description', body.description ?? undefined],
          ['outcomes', body.outcomes.join(', ')],
          ['form', body.form === null ? undefined : JSON.stringify(body.form)],
          ['assignee', body.assignee ?? undefined],
          ['candidates', body.candidates.join(', ')],
          ['status', body.status],
          ['outcome', body.outcome ?? undefined],
          ['by', body.completedBy ?? undefined],
          ['due', agoText(body.dueAt, terminal.now())],
          ['instance', body.instanceId],
        ])
      },
    ),
    remoteCommand<{ outcome?: string; data?: string; by?: string }>(
      terminal,
      'complete <id>',
      'hand in what a person decided; the first one counts',
      (c) =>
        c
          .option('--outcome <outcome>', 'one of its outcomes; may be left out when there is one')
          .option('--data <json>', 'what the form asks for: JSON, @file, or - for standard input')
          .option('--by <name>', 'who decided'),
      async (session, [id], { outcome, data, by }) => {
        const wanted = { outcome, data: await readJson(terminal, '--data', data), by }
        const { body } = await session.api.call('POST', pathOf('human-tasks', id!, 'complete'), { body: wanted })
        session.done(`${id}: ${body.task.outcome}`, body.task)
      },
    ),
    remoteCommand<{ ttl?: string }>(
      terminal,
      'link <id>',
      'make a link with which anybody can do this one task, once',
      (c) => c.option('--ttl <duration>', 'how long it can be used (7d)'),
      async (session, [id], { ttl }) => {
        const { body } = await session.api.call('POST', pathOf('human-tasks', id!, 'token'), { body: { ttl } })
        const link = new URL(body.page, session.api.url).href
        session.done(link, { ...body, link })
      },
    ),
  )
}
