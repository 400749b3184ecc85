/** Every option that carries a credential can come from a file, and none is ever shown by a message that refuses it. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { resolveNodeOptions } from '../../packages/lockstep/src/options/node-options.ts'
import { environmentNames } from '../../packages/lockstep/src/options/raw-options.ts'
import { readEnvironment } from '../../packages/lockstep/src/options/read-environment.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'lockstep-files-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const KEY = 'q0nKx3Ck9rU4sFv8bWzYt1hJmPl6oEiDgA2R5T7XcVw='
const LONG = 'a-long-value-with-0123456789-characters'
/** Options that carry a credential, with a value that each of them takes. */
const credentials: Readonly<Record<string, string>> = {
  LOCKSTEP_API_KEY: LONG,
  LOCKSTEP_SECRET: LONG,
  LOCKSTEP_SECRET_KEYS: KEY,
  LOCKSTEP_OIDC_CLIENT_SECRET: LONG,
  LOCKSTEP_DATABASE_URL: 'postgres://ann:hidden@db.test/lockstep',
  LOCKSTEP_REDIS_URL: 'redis://ann:hidden@redis.test',
  LOCKSTEP_RABBITMQ_URL: 'amqp://ann:hidden@rabbit.test',
  LOCKSTEP_MAIL_URL: 'smtp://ann:hidden@mail.test:587',
  LOCKSTEP_CONNECTIONS: 'reports=postgres://ann:hidden@db.test/reports',
}
const names: readonly string[] = Object.values(environmentNames)

describe('options that carry a credential', () => {
  it('are all in this table', () => {
    const telling = names.filter((name) => /SECRET|PASSWORD|TOKEN|API_KEY|_URL$|CONNECTIONS|_KEYS?$/.test(name))
    // Where people and browsers are sent to is told to everybody.
    expect(telling.filter((name) => !(name in credentials) && name !== 'LOCKSTEP_PUBLIC_URL')).toEqual([])
    expect(Object.keys(credentials).filter((name) => !names.includes(name))).toEqual([])
  })

  it.each(Object.entries(credentials))('%s comes from a file as well as from the environment', (name, value) => {
    const file = path.join(folder, name)
    writeFileSync(file, `${value}\n`)
    const plain = ({ environmentSecrets: _, ...options }: ReturnType<typeof readEnvironment>) => options
    expect(plain(readEnvironment({ [`${name}_FILE`]: file }))).toEqual(plain(readEnvironment({ [name]: value })))
    expect(plain(readEnvironment({ [name]: `${value}\n` }))).toEqual(plain(readEnvironment({ [name]: value })))
    expect(() => resolveNodeOptions(readEnvironment({ [`${name}_FILE`]: file }))).not.toThrow()
  })

  it.each(Object.keys(credentials))('%s that names no file stops the start with its name', (name) => {
    expect(() => readEnvironment({ [`${name}_FILE`]: path.join(folder, 'nothing') })).toThrow(`${name}_FILE`)
  })

  it.each(Object.keys(credentials).filter((name) => !/_(DATABASE|REDIS)_URL$|CLIENT_SECRET$/.test(name)))(
    '%s is not repeated where it is refused',
    (name) => {
      expect(() => resolveNodeOptions(readEnvironment({ [name]: 'hunter2@wrong' }))).toThrow(
        expect.objectContaining({ code: 'INVALID_OPTION', message: expect.not.stringContaining('hunter2') }),
      )
    },
  )
})
