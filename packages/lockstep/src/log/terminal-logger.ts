import type { Clock, LogFields, Logger } from '@lockstep/base'
import colors from 'picocolors'
import type { LogLevel, LogLevels } from './log-levels.ts'
import { redact, redactText } from './redact.ts'
import { shown } from './shown.ts'
import { withWireIds } from './wire-ids.ts'

const rank: Record<LogLevel, number> = { debug: 0, info: 1, warn: 2, error: 3, silent: 4 }
const look = { debug: colors.gray, info: colors.cyan, warn: colors.yellow, error: colors.red } as const

/** Short coloured lines for people at a terminal. */
export function terminalLogger(levels: LogLevels, clock: Clock, write: (line: string) => void, area = ''): Logger {
  const { level, areas } = levels
  const at = (each: keyof typeof look) => (message: string, fields?: LogFields) => {
    if (rank[each] < rank[level]) return
    const time = new Date(clock.now()).toISOString().slice(11, 23)
    const where = area === '' ? '' : colors.magenta(`${area} `)
    write(
      `${colors.gray(time)} ${look[each](each.padEnd(5))} ${where}${shown(redactText(message))}${describe(fields)}\n`,
    )
  }
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    area: (name) => terminalLogger({ level: areas.get(name) ?? level, areas }, clock, write, name),
  }
}

function describe(fields: LogFields | undefined): string {
  if (fields === undefined) return ''
  return Object.entries(redact(withWireIds(fields)))
    .filter(([, value]) => value !== undefined)
    .map(
      ([key, value]) => ` ${colors.gray(`${key}=`)}${shown(typeof value === 'string' ? value : JSON.stringify(value))}`,
    )
    .join('')
}
