import type { Command } from 'commander'
import type { Body } from './remote/api-client.ts'
import { noun, remoteCommand } from './remote/remote-command.ts'
import type { Terminal } from './terminal/terminal.ts'
import { type WatchFlags, watched, watching } from './terminal/watch.ts'

interface TopFlags extends WatchFlags {
  readonly range?: string
  readonly node?: string
}

interface Row {
  readonly name: string
  readonly now: number | null
  readonly mean: number | null
  readonly peak: number | null
}

export function metricsCommand(terminal: Terminal): Command {
  return noun(
    'metrics',
    'what the nodes count',
    remoteCommand<TopFlags>(
      terminal,
      'top',
      'show how much there is to do: rates, latencies and levels, now and at most',
      (c) =>
        watched(c)
          .option('--range <range>', '15m, 1h, 6h, 24h, 7d or 30d (15m)')
          .option('--node <id>', 'of this node alone (nod_…)'),
      async (session, _, { range = '15m', node: nodeId, ...flags }) =>
        watching(terminal, flags, async () => {
          const { body } = await session.api.call('GET', '/metrics/query', { query: { range, nodeId } })
          session.table(
            rowsOf(body),
            [
              { title: 'NAME', text: (row) => row.name },
              { title: 'NOW', text: (row) => figure(row.now), align: 'right' },
              { title: 'MEAN', text: (row) => figure(row.mean), align: 'right' },
              { title: 'PEAK', text: (row) => figure(row.peak), align: 'right' },
            ],
            'Nothing has been counted yet: nodes tell each other once a minute',
          )
        }),
    ),
  )
}

/** What did not come has no row. */
function rowsOf({ curves }: Body): readonly Row[] {
  return Object.entries(curves as Record<string, readonly (number | null)[]>).flatMap(([name, curve]) => {
    const values = curve.filter((value) => value !== null)
    if (values.length === 0) return []
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length
    return [{ name, now: curve.at(-1) ?? null, mean, peak: Math.max(...values) }]
  })
}

/** Three digits that count. */
const figure = (value: number | null): string =>
  value === null ? '' : Math.abs(value) >= 1_000 ? String(Math.round(value)) : String(Number(value.toPrecision(3)))
