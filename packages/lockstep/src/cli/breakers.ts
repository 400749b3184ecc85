import type { Command } from 'commander'
import type { Body } from './remote/api-client.ts'
import { limitOf, noun, type PagedFlags, paged, pathOf, remoteCommand } from './remote/remote-command.ts'
import { statusPaint } from './terminal/status-look.ts'
import type { Terminal } from './terminal/terminal.ts'
import { agoText, spanText } from './terminal/time-text.ts'
import { type WatchFlags, watched, watching } from './terminal/watch.ts'

export function breakersCommand(terminal: Terminal): Command {
  return noun(
    'breakers',
    'what is not tried for a while, because it fails',
    remoteCommand<PagedFlags & WatchFlags>(
      terminal,
      'list',
      'list breakers that have ever opened',
      (c) => watched(paged(c)),
      async (session, _, flags) =>
        watching(terminal, flags, async () => {
          await session.list(
            { path: '/circuit-breakers', limit: limitOf(flags) },
            [
              { title: 'KEY', text: (row) => row.key },
              {
                title: 'STATE',
                text: (row) => row.state,
                paint: (text, row) => statusPaint(terminal, row.state)(text),
              },
              { title: 'PROBE IN', text: probeText },
              { title: 'CHANGED', text: (row) => agoText(row.changedAt, terminal.now()) },
              { title: 'REASON', text: (row) => row.reason ?? '', elastic: true },
            ],
            'No breaker has opened',
          )
        }),
    ),
    remoteCommand(
      terminal,
      'get <key>',
      'show a breaker',
      (c) => c,
      async (session, [key]) => {
        const { body } = await session.api.call('GET', pathOf('circuit-breakers', key!))
        session.fields(body, [
          ['key', body.key],
          ['state', body.state],
          ['reason', body.reason ?? undefined],
          ['opened', body.openedAt === null ? undefined : agoText(body.openedAt, terminal.now())],
          ['probe in', probeText(body)],
          ['probed by', body.probeNodeId ?? undefined],
          ['changed', agoText(body.changedAt, terminal.now())],
          ['lately', latelyText(body.history ?? [], terminal.now())],
        ])
      },
    ),
    remoteCommand(
      terminal,
      'reset <key>',
      'close a breaker now, and wake who waits for it',
      (c) => c,
      async (session, [key]) => {
        const { body } = await session.api.call('POST', pathOf('circuit-breakers', key!, 'reset'))
        session.done(`${key} is ${body.state}`, body)
      },
    ),
    remoteCommand<{ for: string; reason?: string }>(
      terminal,
      'trip <key>',
      'open a breaker by hand for a time',
      (c) =>
        c
          .requiredOption('--for <duration>', 'until a probe is let through: 30s, 5m, 2h')
          .option('--reason <text>', 'shown where it holds back'),
      async (session, [key], { for: openFor, reason }) => {
        const wanted = { body: { openFor, reason } }
        const { body } = await session.api.call('POST', pathOf('circuit-breakers', key!, 'trip'), wanted)
        session.done(`${key} is ${body.state} for ${spanText(body.openForMs)}`, body)
      },
    ),
  )
}

const probeText = (row: Body): string => (row.state === 'open' ? spanText(row.openForMs) : '')

const LATELY = 5

/** `closed 2 min ago by ana, half-open 3 min ago, …`; the whole is in --json. */
function latelyText(history: readonly Body[], now: number): string | undefined {
  const said = history.slice(0, LATELY).map(({ state, at, by }) => {
    const who = by === null || by === undefined ? '' : ` by ${by}`
    return `${state} ${agoText(at, now)}${who}`
  })
  return said.length === 0 ? undefined : said.join(', ')
}
