import type { Command } from 'commander'
import { limitOf, noun, type PagedFlags, paged, pathOf, remoteCommand, sure } from './remote/remote-command.ts'
import { readJson } from './terminal/read-argument.ts'
import type { Terminal } from './terminal/terminal.ts'
import { agoText } from './terminal/time-text.ts'
import { type WatchFlags, watched, watching } from './terminal/watch.ts'

interface ListFlags extends PagedFlags, WatchFlags {
  readonly definition?: string
  readonly source?: string
}

export function deadLettersCommand(terminal: Terminal): Command {
  return noun(
    'dead-letters',
    'messages that could not start their workflow',
    remoteCommand<ListFlags>(
      terminal,
      'list',
      'list dead letters, newest first',
      (c) =>
        watched(paged(c))
          .option('--definition <id>', 'for this workflow')
          .option('--source <name>', 'from here: rabbitmq:orders'),
      async (session, _, { definition, source, ...flags }) =>
        watching(terminal, flags, async () => {
          await session.list(
            { path: '/dead-letters', query: { definition, source }, limit: limitOf(flags) },
            [
              { title: 'ID', text: (row) => row.id },
              { title: 'WORKFLOW', text: (row) => row.definitionId },
              { title: 'FROM', text: (row) => row.source },
              { title: 'CODE', text: (row) => row.code },
              { title: 'ARRIVED', text: (row) => agoText(row.arrivedAt, terminal.now()) },
              { title: 'REASON', text: (row) => row.reason, elastic: true },
            ],
            'No dead letters',
          )
        }),
    ),
    remoteCommand(
      terminal,
      'get <id>',
      'show a dead letter with what is in it',
      (c) => c,
      async (session, [id]) => {
        const { body } = await session.api.call('GET', pathOf('dead-letters', id!))
        session.fields(body, [
          ['id', body.id],
          ['workflow', body.definitionId],
          ['from', body.source],
          ['failure', `${body.code}: ${body.reason}`],
          ['correlation', body.correlationId ?? undefined],
          ['arrived', agoText(body.arrivedAt, terminal.now())],
          ['input', body.raw === null ? JSON.stringify(body.input) : undefined],
          ['raw', body.raw ?? undefined],
        ])
      },
    ),
    remoteCommand<{ input?: string }>(
      terminal,
      'retry <id>',
      'start its workflow',
      (c) => c.option('--input <json>', 'in the place of what is in it; JSON, @file, or -'),
      async (session, [id], { input }) => {
        const wanted = { input: await readJson(terminal, '--input', input) }
        const { body } = await session.api.call('POST', pathOf('dead-letters', id!, 'retry'), { body: wanted })
        session.done(`${id} is ${body.instanceId}${body.created ? '' : ', which was there'}`, body)
      },
    ),
    remoteCommand<{ yes?: boolean }>(
      terminal,
      'discard <id>',
      'throw a dead letter away',
      (c) => c.option('-y, --yes', 'do not ask'),
      async (session, [id], { yes }) => {
        await sure(session, yes, `Throw ${id} away? What is in it is lost.`)
        await session.api.call('DELETE', pathOf('dead-letters', id!))
        session.done(`${id} is gone`, { id, discarded: true })
      },
    ),
  )
}
