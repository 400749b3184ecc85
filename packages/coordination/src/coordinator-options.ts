import { hostname } from 'node:os'
import {
  type Clock,
  InvalidOption,
  type Logger,
  type Random,
  silentLogger,
  systemClock,
  systemRandom,
} from '@lockstep/base'
import type { CoordinationProvider } from './coordination-provider.ts'
import { checkTtlMs, checkWaitMs } from './lease/ask.ts'
import type { ServiceOptions } from './services.ts'

export interface CoordinatorOptions extends ServiceOptions {
  readonly provider: CoordinationProvider
  /** Close the provider with the coordinator. @default false */
  readonly ownsProvider?: boolean
  /** What people see as the holder. @default host name and process id */
  readonly name?: string
  /** Life of a lease without renewal; 50 ms to a day. @default 30_000 */
  readonly ttlMs?: number
  /** How long `acquire` waits. @default 30_000 */
  readonly waitMs?: number
  /** How often one who waits asks again although no message came: the most that a lost message costs. @default 2_000 */
  readonly askAgainMs?: number
  /** How often a mutex is passed on inside the process before the other processes have their turn. @default 16 */
  readonly quota?: number
  /** @default the machine's own */
  readonly clock?: Clock
  /** @default the machine's own */
  readonly random?: Random
  readonly logger?: Logger
}

/** Those of the services keep their defaults where they are used. */
export type ResolvedOptions = Required<Omit<CoordinatorOptions, keyof ServiceOptions>>

export function resolveCoordinatorOptions(options: CoordinatorOptions): ResolvedOptions {
  const {
    provider,
    ownsProvider = false,
    name = `${hostname()}:${process.pid}`,
    ttlMs = 30_000,
    waitMs = 30_000,
    askAgainMs = 2_000,
    quota = 16,
    clock = systemClock,
    random = systemRandom,
    logger = silentLogger,
  } = options
  checkTtlMs(ttlMs)
  checkWaitMs(waitMs)
  if (!(askAgainMs >= 50 && askAgainMs <= 60_000)) {
    throw new InvalidOption({ option: 'askAgainMs', rule: '50 to 60000 ms', value: askAgainMs })
  }
  if (!Number.isInteger(quota) || quota < 0 || quota > 1_000) {
    throw new InvalidOption({ option: 'quota', rule: 'a whole number from 0 to 1000', value: quota })
  }
  if (typeof name !== 'string' || name.length === 0 || name.length > 200) {
    throw new InvalidOption({ option: 'name', rule: '1 to 200 characters', value: name })
  }
  return { provider, ownsProvider, name, ttlMs, waitMs, askAgainMs, quota, clock, random, logger }
}
