import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runIn } from '../cli/open-cli.ts'
import { codeBlocks } from '../docs/code-blocks.ts'
import { BOOTSTRAP_KEY, openSecuredApi, type SecuredApi } from './open-secured-api.ts'

let api: SecuredApi
let environment: Record<string, string>
beforeAll(async () => {
  api = await openSecuredApi()
  await api.app.listen({ host: '127.0.0.1', port: 0 })
  const address = api.app.server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  environment = { LOCKSTEP_URL: `http://127.0.0.1:${port}`, LOCKSTEP_API_KEY: BOOTSTRAP_KEY }
})
afterAll(() => api[Symbol.asyncDispose]())

const lines = (page: string): string[] =>
  codeBlocks(`docs/how-to/${page}.md`)
    .filter(({ language }) => language === 'sh')
    .flatMap(({ code }) => code.trim().split('\n'))

describe('the how-to pages', () => {
  it.each(['api-keys', 'users', 'audit', 'secrets'])('of %s do what they say, line by line', async (page) => {
    expect(lines(page).length).toBeGreaterThan(2)
    for (const line of lines(page)) {
      const [command = '', input] = line.split(' < ')
      const [name, ...words] = command.split(' ').map((word) => word.replace(/^'(.*)'$/, '$1'))
      expect(name).toBe('lockstep')
      const ran = await runIn('.', environment, words, input === undefined ? {} : { input: 'a good long password\n' })
      expect([line, ran.code, ran.code === 0 ? '' : ran.err]).toEqual([line, 0, ''])
    }
  })

  it('leave what they say: a key that works, and a user that is gone', async () => {
    const made = await runIn('.', environment, ['key', 'create', 'mine', '--role', 'viewer'])
    const key = made.out.trim()
    expect([key, made.err]).toEqual([expect.stringMatching(/^lsk_/), expect.stringContaining('shown this once')])
    const as = (words: string[], more: Record<string, string> = {}) =>
      runIn('.', { LOCKSTEP_URL: environment.LOCKSTEP_URL!, ...more }, words)
    expect((await as(['instances', 'list', '--key', key])).code).toBe(0)
    const refused = await as(['keys', 'list'], { LOCKSTEP_API_KEY: key })
    expect([refused.code, refused.err]).toEqual([3, expect.stringContaining('keys:manage')])
    const nobody = await as(['instances', 'list'])
    expect([nobody.code, nobody.err]).toEqual([3, expect.stringContaining('UNAUTHENTICATED')])
    const users = await runIn('.', environment, ['users', 'list', '--json'])
    expect(users.json).toEqual([])
  })

  it('sign somebody out by the bare name too, and say who is not there', async () => {
    const run = (words: string[], input?: string) =>
      runIn('.', environment, words, input === undefined ? {} : { input })
    await run(['users', 'create', 'eve', '--role', 'viewer'], 'a good long password\n')
    const body = { name: 'eve', password: 'a good long password' }
    expect((await api.send({ method: 'POST', path: '/session', body })).status).toBe(200)
    expect((await run(['users', 'sign-out', 'eve', '--json'])).json).toEqual({ ended: 1 })
    const unknown = await run(['users', 'sign-out', 'user:nobody-of-this-name'])
    expect([unknown.code === 0, unknown.err]).toEqual([false, expect.stringContaining('USER_NOT_FOUND')])
  })
})
