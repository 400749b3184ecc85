import { InvalidOption } from '@lockstep/base'
import type { RawOptions } from './raw-options.ts'

export type BusCarrier = 'postgres' | 'redis' | 'rabbitmq' | 'memory'
export type CacheTier = 'memory' | 'redis'

/** What makes a cluster quicker. Without any of it, or with all of it broken, it is right all the same. */
export interface AcceleratorOptions {
  /** What carries wake-ups between nodes. */
  readonly bus: BusCarrier
  /** `redis`: what one node has read another need not read again. */
  readonly cache: CacheTier
  /** Whether racing resumes are held back by the lock store before they reach the database. */
  readonly gate: boolean
}

const CARRIERS: readonly BusCarrier[] = ['postgres', 'redis', 'rabbitmq', 'memory']
const TIERS: readonly CacheTier[] = ['memory', 'redis']

export function resolveAcceleratorOptions(raw: RawOptions): AcceleratorOptions {
  return { bus: busOf(raw), cache: cacheOf(raw), gate: gateOf(raw) }
}

/** A bus within one process is refused where there may be others: they would not hear each other. */
function busOf(raw: RawOptions): BusCarrier {
  const bus = oneOf(raw.bus ?? (has(raw.databaseUrl) ? 'postgres' : 'memory'), 'bus', CARRIERS)
  const needs = (rule: string) => new InvalidOption({ option: 'bus', rule, value: bus })
  if (bus === 'redis' && !has(raw.redisUrl)) throw needs('postgres, rabbitmq or memory unless redisUrl is set')
  if (bus === 'rabbitmq' && !has(raw.rabbitmqUrl)) throw needs('postgres, redis or memory unless rabbitmqUrl is set')
  if (bus === 'postgres' && !has(raw.databaseUrl)) throw needs('memory, redis or rabbitmq unless databaseUrl is set')
  if (bus === 'memory' && has(raw.databaseUrl))
    throw needs(
      'postgres, redis or rabbitmq: a database is shared by several nodes, which memory cannot tell of anything',
    )
  return bus
}

function cacheOf(raw: RawOptions): CacheTier {
  const cache = oneOf(raw.cache ?? 'memory', 'cache', TIERS)
  if (cache === 'redis' && !has(raw.redisUrl))
    throw new InvalidOption({ option: 'cache', rule: 'memory unless redisUrl is set', value: cache })
  return cache
}

/** On where locks are in Redis, unless it is switched off. */
function gateOf({ gate, locks }: RawOptions): boolean {
  if (gate === undefined) return locks === 'redis'
  const wanted = typeof gate === 'boolean' ? gate : oneOf(gate, 'gate', ['on', 'off']) === 'on'
  if (wanted && locks !== 'redis')
    throw new InvalidOption({ option: 'gate', rule: 'off unless locks is redis', value: String(gate) })
  return wanted
}

const has = (url: string | undefined): boolean => url !== undefined && url !== ''

function oneOf<const T extends string>(value: string, option: string, allowed: readonly T[]): T {
  const found = allowed.find((each) => each === value)
  if (found === undefined) throw new InvalidOption({ option, rule: `one of ${allowed.join(', ')}`, value })
  return found
}
