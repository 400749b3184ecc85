import { describe, expect, it } from 'vitest'
import { resolveNodeOptions } from './node-options.ts'
import { nodeSettings } from './node-settings.ts'
import { optionOrigins } from './option-origins.ts'
import { optionNames } from './raw-options.ts'

const SECRET = 'correct-horse-battery-staple-0123456789'
const SEALING = Buffer.from(Array.from({ length: 32 }, (_, n) => n * 7)).toString('base64')
const found = (options: Parameters<typeof resolveNodeOptions>[0]) =>
  Object.fromEntries(nodeSettings(resolveNodeOptions(options)).map(({ name, ...setting }) => [name, setting]))

describe('settings of a node', () => {
  it('are every option with what holds, and who set it', () => {
    const settings = found({ port: '4500', nodeName: 'one', logLevel: 'info,locks=debug', retention: 'completed=7d' })
    expect(Object.keys(settings).sort()).toEqual([...optionNames].sort())
    expect(settings.port).toEqual({
      ...{ variable: 'LOCKSTEP_PORT', value: '4500', isSecret: false, isSet: true, origin: 'code' },
    })
    expect(settings.host).toMatchObject({ value: '127.0.0.1', origin: 'default' })
    expect(settings.auth).toMatchObject({ value: 'none', origin: 'default' })
    expect(settings.logLevel).toMatchObject({ value: 'info,locks=debug', origin: 'code' })
    expect(settings.retention!.value).toContain('completed=')
    expect(settings.databaseUrl).toMatchObject({ value: null, isSet: false })
    expect(settings.outboundTenants).toMatchObject({ value: 'default', origin: 'default' })
    expect(settings.roles!.value).toBe('api,worker,scheduler')
  })

  it('never tell a secret, in whichever option it stands', () => {
    const settings = found({
      databaseUrl: `postgres://app:${SECRET}@db/app?sslpassword=${SECRET}`,
      redisUrl: `redis://:${SECRET}@cache`,
      rabbitmqUrl: `amqp://app:${SECRET}@broker`,
      mailUrl: `smtp://app:${SECRET}@mail`,
      otlpEndpoint: `https://${SECRET}@collector`,
      connections: { books: `postgres://app:${SECRET}@books/app` },
      apiKey: SECRET,
      secret: SECRET,
      secretKeys: SEALING,
    })
    const text = JSON.stringify(settings)
    expect(text).not.toContain(SECRET)
    expect(text).not.toContain(SEALING)
    for (const name of ['apiKey', 'secret', 'secretKeys', 'connections'])
      expect(settings[name]).toMatchObject({ value: null, isSecret: true, isSet: true, origin: 'code' })
    expect(settings.databaseUrl!.value).toBe('postgres://app:[withheld]@db/app?…')
  })

  it('come from the first of flag, variable, file and default of the command that says something', () => {
    const origins = optionOrigins({
      flags: { port: '1', nodeTtlMs: '9000' },
      environment: { LOCKSTEP_PORT: '2', LOCKSTEP_HOST: '::1' },
      file: { name: 'lockstep.config.ts', options: { host: '0.0.0.0', clusterName: 'c' } },
      defaults: { samples: 'on' },
    })
    expect(origins).toEqual({
      ...{ port: '--port', nodeTtlMs: '--node-ttl-ms', host: 'LOCKSTEP_HOST', clusterName: 'lockstep.config.ts' },
      samples: 'default of the command',
    })
  })
})
