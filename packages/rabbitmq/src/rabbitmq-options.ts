import { type Clock, InvalidOption, type Logger, silentLogger, systemClock } from '@lockstep/base'

export interface RabbitmqOptions {
  /** `amqp://user:password@host:5672/virtual-host`, or `amqps://` for TLS. */
  readonly url: string
  /** What the server shows for our connections. @default 'lockstep' */
  readonly name?: string
  /** @default the machine's own */
  readonly clock?: Clock
  readonly logger?: Logger
  /** How long a message waits for a connection, and then for its confirmation. @default 5_000 */
  readonly patienceMs?: number
  /** Between attempts to connect, at the least; it doubles up to thirty times that. @default 500 */
  readonly retryMs?: number
}

export type ResolvedRabbitmq = Required<RabbitmqOptions>

const example = 'a URL such as amqp://user:password@host:5672'

/** The messages never repeat the URL: it holds a password. */
export function resolveRabbitmqOptions(options: RabbitmqOptions): ResolvedRabbitmq {
  const { url, name = 'lockstep', clock = systemClock, logger = silentLogger } = options
  const { patienceMs = 5_000, retryMs = 500 } = options
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (parsed === undefined || !/^amqps?:$/.test(parsed.protocol))
    throw new InvalidOption({ option: 'url', rule: example })
  if (parsed.hostname === '') throw new InvalidOption({ option: 'url', rule: `${example}; the host is missing` })
  if (parsed.username === '')
    throw new InvalidOption({ option: 'url', rule: `${example}; the user is missing, and none is assumed` })
  if (!(patienceMs >= 50)) throw new InvalidOption({ option: 'patienceMs', rule: 'at least 50', value: patienceMs })
  if (!(retryMs >= 10)) throw new InvalidOption({ option: 'retryMs', rule: 'at least 10', value: retryMs })
  return { url, name, clock, logger: logger.area('rabbitmq'), patienceMs, retryMs }
}
