import type { Command } from 'commander'
import { limitOf, noun, type PagedFlags, paged, pathOf, remoteCommand, sure } from './remote/remote-command.ts'
import { statusPaint } from './terminal/status-look.ts'
import type { Terminal } from './terminal/terminal.ts'
import { agoText, spanText } from './terminal/time-text.ts'
import { type WatchFlags, watched, watching } from './terminal/watch.ts'

export function locksCommand(terminal: Terminal): Command {
  return noun(
    'locks',
    'who holds what',
    remoteCommand<PagedFlags & WatchFlags & { prefix?: string }>(
      terminal,
      'list',
      'list locks and instances at work',
      (c) => watched(paged(c)).option('--prefix <text>', 'those whose key begins so'),
      async (session, _, { prefix, ...flags }) =>
        watching(terminal, flags, async () => {
          await session.list(
            { path: '/locks', query: { prefix }, limit: limitOf(flags) },
            [
              { title: 'KEY', text: (row) => row.key, elastic: true },
              { title: 'KIND', text: (row) => row.kind },
              {
                title: 'STATE',
                text: (row) => row.state,
                paint: (text, row) => statusPaint(terminal, row.state)(text),
              },
              { title: 'HOLDER', text: (row) => row.holder?.name ?? row.holder?.nodeId ?? '' },
              { title: 'FENCE', text: (row) => row.fence ?? '', align: 'right' },
              { title: 'HELD', text: (row) => agoText(row.acquiredAt, terminal.now()) },
              { title: 'TTL', text: (row) => (row.ttlMs === null ? '' : spanText(row.ttlMs)), align: 'right' },
              { title: 'WAITING', text: (row) => String(row.waiters), align: 'right' },
            ],
            'Nothing is held',
          )
        }),
    ),
    remoteCommand(
      terminal,
      'get <key>',
      'show who holds a lock, who waits, who held it lately',
      (c) => c,
      async (session, [key]) => {
        const { body } = await session.api.call('GET', pathOf('locks', key!))
        const side = (each: {
          name: string
          nodeId: string
          share: string
          since: string
          fence: string | null
        }): string =>
          `${each.name ?? each.nodeId} (${each.share}${each.fence === null ? '' : `, fence ${each.fence}`}) ${agoText(each.since, terminal.now())}`
        session.fields(body, [
          ['key', body.key],
          ['kind', body.kind],
          ['state', body.state],
          ['holder', body.held.length === 0 ? (body.holder?.name ?? body.holder?.nodeId) : undefined],
          ['instance', body.holder?.instanceId ?? undefined],
          ...body.held.map((each: never) => ['held by', side(each)] as const),
          ...body.queue.map((each: never) => ['waiting', side(each)] as const),
          ...body.history.map(
            (each: { kind: string; name: string; fence: string; at: string; reason: string | null }) =>
              [
                'history',
                `${each.kind} ${each.name ?? ''} (fence ${each.fence}) ${agoText(each.at, terminal.now())}${each.reason === null ? '' : `: ${each.reason}`}`,
              ] as const,
          ),
        ])
      },
    ),
    remoteCommand<{ reason: string; yes?: boolean; dryRun?: boolean }>(
      terminal,
      'release <key>',
      'take a lock from whoever holds it; its fence rises',
      (c) =>
        c
          .requiredOption('--reason <text>', 'why; kept with the audit')
          .option('--dry-run', 'say who would lose it, change nothing')
          .option('-y, --yes', 'do not ask'),
      async (session, [key], { reason, yes, dryRun }) => {
        const { body: lock } = await session.api.call('GET', pathOf('locks', key!))
        const holder = lock.holder === null ? 'nobody' : (lock.holder.name ?? lock.holder.nodeId)
        const standing = `${key} is ${lock.state}, held by ${holder}`
        if (dryRun === true) return session.done(standing, lock)
        await sure(session, yes, `${standing}. Take it away?`)
        const { body } = await session.api.call('POST', pathOf('locks', key!, 'release'), { body: { reason } })
        const next = body.lock === null ? 'it is free' : `${body.lock.holder?.name ?? 'the next'} has it now`
        session.done(`${key}: ${body.released} lease${body.released === 1 ? '' : 's'} ended, ${next}`, body)
      },
    ),
  )
}
