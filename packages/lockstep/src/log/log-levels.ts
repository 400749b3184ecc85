import { InvalidOption } from '@lockstep/base'

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent'

const LEVELS: readonly LogLevel[] = ['debug', 'info', 'warn', 'error', 'silent']

/** What is logged: one level, and others for some areas. */
export interface LogLevels {
  readonly level: LogLevel
  readonly areas: ReadonlyMap<string, LogLevel>
}

/** `info`, or `info,locks=debug,http=warn`. */
export function parseLogLevels(text: string): LogLevels {
  const areas = new Map<string, LogLevel>()
  let level: LogLevel = 'info'
  for (const part of text.split(',').map((each) => each.trim())) {
    const [, area, name = part] = /^([a-z][a-z-]*)=(.*)$/.exec(part) ?? []
    const found = LEVELS.find((each) => each === name)
    if (found === undefined) {
      const rule = `one of ${LEVELS.join(', ')}, and areas such as locks=debug behind commas`
      throw new InvalidOption({ option: 'logLevel', rule, value: text })
    }
    if (area === undefined) level = found
    else areas.set(area, found)
  }
  return { level, areas }
}
