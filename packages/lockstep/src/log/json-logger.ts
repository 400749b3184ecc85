import type { Logger } from '@lockstep/base'
import pino from 'pino'
import type { LogLevel } from '../options/node-options.ts'

/** One JSON object per line on standard output, for machines to read. */
export function jsonLogger(level: LogLevel): Logger {
  return adapt(
    pino({
      level,
      timestamp: pino.stdTimeFunctions.isoTime,
      base: null,
      formatters: { level: (label) => ({ level: label }) },
    }),
  )
}

function adapt(target: pino.Logger): Logger {
  return {
    debug: (message, fields) => target.debug(fields ?? {}, message),
    info: (message, fields) => target.info(fields ?? {}, message),
    warn: (message, fields) => target.warn(fields ?? {}, message),
    error: (message, fields) => target.error(fields ?? {}, message),
    area: (name) => adapt(target.child({ area: name })),
  }
}
