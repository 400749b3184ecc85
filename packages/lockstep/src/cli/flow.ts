import type { Command } from 'commander'
import type { Body } from './remote/api-client.ts'
import { limitOf, noun, type PagedFlags, paged, pathOf, remoteCommand } from './remote/remote-command.ts'
import { readJson } from './terminal/read-argument.ts'
import type { Terminal } from './terminal/terminal.ts'
import { agoText } from './terminal/time-text.ts'
import { type WatchFlags, watched, watching } from './terminal/watch.ts'

export function flowCommand(terminal: Terminal): Command {
  return noun(
    'flow',
    'how starts are held back',
    remoteCommand<PagedFlags & WatchFlags>(
      terminal,
      'list',
      'list flow policies',
      (c) => watched(paged(c)),
      async (session, _, flags) =>
        watching(terminal, flags, async () => {
          const rows = await session.api.list('/flow-policies', {}, limitOf(flags))
          session.table(
            rows.map((row) => ({ id: row.definitionId, ...row })),
            [
              { title: 'DEFINITION', text: (row) => row.definitionId },
              { title: 'FROM', text: originText },
              { title: 'POLICY', text: policyText, elastic: true },
              { title: 'CHANGED', text: (row) => agoText(row.updatedAt, terminal.now()) },
            ],
            'No flow policies',
          )
        }),
    ),
    remoteCommand(
      terminal,
      'get <definition>',
      'show a flow policy and what it holds back',
      (c) => c,
      async (session, [definition]) => {
        const { body } = await session.api.call('GET', pathOf('flow-policies', definition!))
        session.fields({ id: body.definitionId, ...body }, [
          ['definition', body.definitionId],
          ['policy', policyText(body)],
          ['from', originText(body)],
          ['declared', body.declared === null ? undefined : JSON.stringify(body.declared)],
          ['waiting', String(body.waiting)],
          ['alive', String(body.alive)],
          ['gathering', String(body.gathering)],
          ['changed', agoText(body.updatedAt, terminal.now())],
        ])
      },
    ),
    remoteCommand<{ ifMatch?: string }>(
      terminal,
      'set <definition> <policy>',
      'put a flow policy in force: JSON, @file, or - for standard input',
      (c) => c.option('--if-match <etag>', 'only if it is still the one that was read'),
      async (session, [definition, policy], flags) => {
        const wanted = { body: await readJson(terminal, 'The policy', policy), headers: headersOf(flags) }
        const { body } = await session.api.call('PUT', pathOf('flow-policies', definition!), wanted)
        session.done(`${definition}: ${policyText(body)} is in force; ${body.waiting} wait`, {
          id: body.definitionId,
          ...body,
        })
      },
    ),
    remoteCommand<{ ifMatch?: string }>(
      terminal,
      'reset <definition>',
      'let what the workflow declares be in force again',
      (c) => c.option('--if-match <etag>', 'only if it is still the one that was read'),
      async (session, [definition], flags) => {
        await session.api.call('DELETE', pathOf('flow-policies', definition!), { headers: headersOf(flags) })
        session.done(`${definition}: what it declares is in force`, { id: definition })
      },
    ),
  )
}

const headersOf = ({ ifMatch }: { ifMatch?: string }): Record<string, string> =>
  ifMatch === undefined ? {} : { 'if-match': ifMatch }

const policyText = (row: Body): string => (row.policy === null ? 'nothing is held back' : JSON.stringify(row.policy))

const originText = (row: Body): string =>
  row.chosen !== null ? 'set here' : row.declared === null ? '' : 'the workflow'
