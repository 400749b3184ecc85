import type { LogFields, Logger } from '@lockstep/base'
import pino from 'pino'
import type { LogLevels } from './log-levels.ts'
import { redact, redactText } from './redact.ts'
import { withWireIds } from './wire-ids.ts'

/** One JSON object per line on standard output, for machines to read. */
export function jsonLogger({ level, areas }: LogLevels, out?: pino.DestinationStream): Logger {
  const options: pino.LoggerOptions = {
    level,
    timestamp: pino.stdTimeFunctions.isoTime,
    base: null,
    formatters: { level: (label) => ({ level: label }) },
  }
  const root = out === undefined ? pino(options) : pino(options, out)
  return adapt(root, root, areas)
}

/** Areas are children of `root`: one inside another would have a line name both. */
function adapt(target: pino.Logger, root: pino.Logger, areas: LogLevels['areas']): Logger {
  const at = (level: 'debug' | 'info' | 'warn' | 'error') => (message: string, fields?: LogFields) => {
    if (target.isLevelEnabled(level))
      target[level](fields === undefined ? {} : redact(withWireIds(fields)), redactText(message))
  }
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    area: (name) => adapt(root.child({ area: name }, { level: areas.get(name) ?? target.level }), root, areas),
  }
}
