import path from 'node:path'
import colors from 'picocolors'
import type { NodeOptions } from '../options/node-options.ts'
import { studioFolder } from '../studio-folder.ts'

/** The box that a start ends in: where everything is. */
export function welcome(url: string, options: NodeOptions, keys?: string): string {
  const hasStudio = studioFolder() !== undefined && options.roles.includes('api')
  const rows: readonly (readonly [string, string])[] = [
    ...(hasStudio ? [['Studio', `${url}/`] as const] : []),
    ['API', `${url}/api/v1`],
    ['Health', `${url}/health/live`],
    [
      'Data',
      options.databaseUrl === undefined
        ? `${path.resolve(options.dataDir)} (embedded)`
        : describeDatabase(options.databaseUrl),
    ],
    ...(options.clusterName === 'lockstep' ? [] : [['Cluster', options.clusterName] as const]),
    keys === undefined ? ['Stop', 'Ctrl-C'] : ['Keys', keys],
  ]
  const label = Math.max(...rows.map(([name]) => name.length))
  const lines = rows.map(([name, value]) => `${name.padEnd(label)}  ${value}`)
  const title = 'Lockstep is running'
  const width = Math.max(title.length, ...lines.map((line) => line.length))
  const frame = (text: string, paint = (each: string): string => each): string => `│ ${paint(text.padEnd(width))} │`
  return [
    `╭${'─'.repeat(width + 2)}╮`,
    frame(title, colors.bold),
    frame(''),
    ...lines.map((line) => frame(line)),
    `╰${'─'.repeat(width + 2)}╯`,
    '',
  ].join('\n')
}

/** Without user and password: the box may end up in a log. */
function describeDatabase(databaseUrl: string): string {
  const url = new URL(databaseUrl)
  return `${url.hostname}${url.port === '' ? '' : `:${url.port}`}${url.pathname} (PostgreSQL)`
}
