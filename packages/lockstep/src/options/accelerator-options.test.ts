import { describe, expect, it } from 'vitest'
import { resolveNodeOptions } from './node-options.ts'
import { readEnvironment } from './read-environment.ts'

const database = { LOCKSTEP_DATABASE_URL: 'postgres://db.test/lockstep' }
const redis = { LOCKSTEP_REDIS_URL: 'redis://redis.test' }
const rabbitmq = { LOCKSTEP_RABBITMQ_URL: 'amqp://user:word@rabbit.test' }
const resolve = (environment: Record<string, string>) => resolveNodeOptions(readEnvironment(environment))

describe('LOCKSTEP_BUS', () => {
  it('is the database where there is one, else nothing', () => {
    expect([resolve(database).bus, resolve({}).bus]).toEqual(['postgres', 'memory'])
  })

  it('may be anything that every node hears', () => {
    expect(resolve({ ...database, ...redis, LOCKSTEP_BUS: 'redis' }).bus).toBe('redis')
    expect(resolve({ ...database, ...rabbitmq, LOCKSTEP_BUS: 'rabbitmq' }).bus).toBe('rabbitmq')
  })

  it.each([
    [{ ...database, LOCKSTEP_BUS: 'memory' }, /"bus" must be postgres, redis or rabbitmq.*shared by several nodes/],
    [{ ...database, LOCKSTEP_BUS: 'redis' }, /"bus" must be .*unless redisUrl is set/],
    [{ ...database, LOCKSTEP_BUS: 'rabbitmq' }, /"bus" must be .*unless rabbitmqUrl is set/],
    [{ LOCKSTEP_BUS: 'postgres' }, /"bus" must be .*unless databaseUrl is set/],
    [{ LOCKSTEP_BUS: 'kafka' }, /"bus" must be one of postgres, redis, rabbitmq, memory, not "kafka"/],
  ])('refuses what cannot work: %j', (environment, message) => {
    expect(() => resolve(environment)).toThrow(message)
  })
})

describe('LOCKSTEP_CACHE and LOCKSTEP_GATE', () => {
  it('are memory, and off unless locks are in Redis', () => {
    expect(resolve(database)).toMatchObject({ cache: 'memory', gate: false })
    const locks = { ...database, ...redis, LOCKSTEP_LOCKS: 'redis' }
    expect(resolve(locks)).toMatchObject({ cache: 'memory', gate: true })
    expect(resolve({ ...locks, LOCKSTEP_GATE: 'off' })).toMatchObject({ gate: false })
    const all = { ...locks, LOCKSTEP_CACHE: 'redis', LOCKSTEP_GATE: 'on' }
    expect(resolve(all)).toMatchObject({ cache: 'redis', gate: true })
  })

  it.each([
    [{ LOCKSTEP_CACHE: 'redis' }, /"cache" must be memory unless redisUrl is set/],
    [{ LOCKSTEP_CACHE: 'disk' }, /"cache" must be one of memory, redis/],
    [{ ...database, ...redis, LOCKSTEP_GATE: 'on' }, /"gate" must be off unless locks is redis/],
    [{ LOCKSTEP_GATE: 'ajar' }, /"gate" must be one of on, off/],
  ])('refuse what cannot work: %j', (environment, message) => {
    expect(() => resolve(environment)).toThrow(message)
  })
})
