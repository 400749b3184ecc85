import type { Command } from 'commander'
import { UsageError } from './exit-codes.ts'
import type { Body } from './remote/api-client.ts'
import { limitOf, noun, type PagedFlags, paged, pathOf, remoteCommand } from './remote/remote-command.ts'
import type { Terminal } from './terminal/terminal.ts'
import { agoText, spanText } from './terminal/time-text.ts'
import { type WatchFlags, watched, watching } from './terminal/watch.ts'

export function limitsCommand(terminal: Terminal): Command {
  return noun(
    'limits',
    'how many steps run at once',
    remoteCommand<PagedFlags & WatchFlags>(
      terminal,
      'list',
      'list limits with who is in and who waits',
      (c) => watched(paged(c)),
      async (session, _, flags) =>
        watching(terminal, flags, async () => {
          await session.list(
            { path: '/limits', limit: limitOf(flags) },
            [
              { title: 'KEY', text: (row) => row.key, elastic: true },
              { title: 'AT ONCE', text: (row) => String(row.concurrency ?? ''), align: 'right' },
              { title: 'RATE', text: rateText },
              { title: 'RUNNING', text: (row) => String(row.running), align: 'right' },
              { title: 'WAITING', text: (row) => String(row.waiting), align: 'right' },
              { title: 'SET', text: (row) => agoText(row.setAt, terminal.now()) },
            ],
            'No limits',
          )
        }),
    ),
    remoteCommand(
      terminal,
      'get <key>',
      'show a limit',
      (c) => c,
      async (session, [key]) => {
        const { body } = await session.api.call('GET', pathOf('limits', key!))
        session.fields(body, [
          ['key', body.key],
          ['counts', ruleText(body)],
          ['declared', ruleText(body.declared)],
          ['set', body.setAt === null ? undefined : agoText(body.setAt, terminal.now())],
          ['running', String(body.running)],
          ['waiting', String(body.waiting)],
        ])
      },
    ),
    remoteCommand<{ concurrency?: string; rate?: string }>(
      terminal,
      'set <key>',
      'set a limit instead of what the steps declare',
      (c) =>
        c
          .option('--concurrency <count>', 'attempts at once')
          .option('--rate <count/span>', 'attempts that may begin in any such span: 100/1m'),
      async (session, [key], flags) => {
        const { body } = await session.api.call('PUT', pathOf('limits', key!), { body: settingOf(flags) })
        session.done(`${key}: ${ruleText(body)}`, body)
      },
    ),
    remoteCommand(
      terminal,
      'reset <key>',
      'let what the steps declare count again',
      (c) => c,
      async (session, [key]) => {
        await session.api.call('DELETE', pathOf('limits', key!))
        session.done(`${key}: what the steps declare counts`, { key })
      },
    ),
  )
}

function settingOf({ concurrency, rate }: { concurrency?: string; rate?: string }): object {
  if (concurrency === undefined && rate === undefined)
    throw new UsageError({ text: 'Say --concurrency, --rate or both' })
  if (concurrency !== undefined && !/^\d{1,9}$/.test(concurrency))
    throw new UsageError({ text: `--concurrency must be a whole number, not "${concurrency}"` })
  const [, limit, per] = /^(\d{1,9})\/(.+)$/.exec(rate ?? '') ?? []
  if (rate !== undefined && limit === undefined)
    throw new UsageError({ text: `--rate must be a number and a span such as 100/1m, not "${rate}"` })
  return {
    ...(concurrency === undefined ? {} : { concurrency: Number(concurrency) }),
    ...(limit === undefined ? {} : { rate: { limit: Number(limit), per } }),
  }
}

const rateText = ({ rate }: Body): string => (rate === null ? '' : `${rate.limit} per ${spanText(rate.perMs)}`)

const ruleText = (rule: Body): string =>
  [rule.concurrency === null ? '' : `${rule.concurrency} at once`, rateText(rule)].filter(Boolean).join(', ') ||
  'no bound'
