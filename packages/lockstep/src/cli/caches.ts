import type { Command } from 'commander'
import type { Body } from './remote/api-client.ts'
import { noun, pathOf, remoteCommand } from './remote/remote-command.ts'
import type { Terminal } from './terminal/terminal.ts'
import { type WatchFlags, watched, watching } from './terminal/watch.ts'

export function cachesCommand(terminal: Terminal): Command {
  return noun(
    'caches',
    'what a node keeps in memory for readers',
    remoteCommand<WatchFlags>(
      terminal,
      'list',
      'list the caches of the node that answers',
      watched,
      async (session, _, flags) =>
        watching(terminal, flags, async () => {
          const { body } = await session.api.call('GET', '/caches')
          const count = (title: string, key: string) =>
            ({ title, text: (row: Body) => String(row[key]), align: 'right' }) as const
          session.table(
            body.items,
            [
              { title: 'NAME', text: (row) => row.name },
              { title: 'SIZE', text: (row) => `${row.size}/${row.limit}`, align: 'right' },
              { title: 'HIT RATE', text: rateText, align: 'right' },
              count('HITS', 'hits'),
              count('MISSES', 'misses'),
              count('INVALIDATED', 'invalidations'),
              count('EVICTED', 'evictions'),
              count('SECOND TIER', 'secondTierHits'),
            ],
            'No caches',
          )
        }),
    ),
    remoteCommand(
      terminal,
      'clear <name>',
      'empty a cache on all nodes',
      (c) => c,
      async (session, [name]) => {
        const { body } = await session.api.call('POST', `${pathOf('caches', name!)}/clear`)
        session.done(`${name}: cleared`, body)
      },
    ),
  )
}

const rateText = ({ hitRate }: Body): string => (hitRate === null ? '' : `${(hitRate * 100).toFixed(1)} %`)
