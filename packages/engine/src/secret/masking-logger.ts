import type { LogFields, Logger } from '@lockstep/base'
import type { SecretMask } from './secret-mask.ts'

/** Writes lines without the secrets that were read so far. Until one was read it costs nothing. */
export function maskingLogger(logger: Logger, mask: SecretMask): Logger {
  const at =
    (level: 'debug' | 'info' | 'warn' | 'error') =>
    (message: string, fields?: LogFields): void => {
      if (mask.isEmpty) logger[level](message, fields)
      else logger[level](mask.text(message), fields && mask.fields(fields))
    }
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    area: (name) => maskingLogger(logger.area(name), mask),
  }
}
