import type { LogFields, Logger } from '@lockstep/base'
import pino from 'pino'
import type { LogLevels } from './log-levels.ts'
import { redact, redactText } from './redact.ts'

/** One JSON object per line on standard output, for machines to read. */
export function jsonLogger({ level, areas }: LogLevels, out?: pino.DestinationStream): Logger {
  const options: pino.LoggerOptions = {
    level,
    timestamp: pino.stdTimeFunctions.isoTime,
    base: null,
    formatters: { level: (label) => ({ level: label }) },
  }
  return adapt(out === undefined ? pino(options) : pino(options, out), areas)
}

function adapt(target: pino.Logger, areas: LogLevels['areas']): Logger {
  const at = (level: 'debug' | 'info' | 'warn' | 'error') => (message: string, fields?: LogFields) => {
    if (target.isLevelEnabled(level)) target[level](fields === undefined ? {} : redact(fields), redactText(message))
  }
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    area: (name) => adapt(target.child({ area: name }, { level: areas.get(name) ?? target.level }), areas),
  }
}
