import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openCli, type TestCli } from './open-cli.ts'

let cli: TestCli
beforeAll(async () => {
  cli = await openCli()
  await cli.write('asks.json', {
    id: 'asks',
    activities: [{ id: 'ask', type: 'wait-for-event', inputs: { event: 'approved' } }],
  })
  expect(await cli.run(['definitions', 'push', 'asks.json', '--publish'])).toMatchObject({ code: 0 })
})
afterAll(() => cli[Symbol.asyncDispose]())

const ok = async (...words: string[]) => {
  const ran = await cli.run(words)
  expect([words.join(' '), ran.code, ran.err]).toEqual([words.join(' '), 0, expect.any(String)])
  return ran
}

describe('what holds back', () => {
  it('flow: is set, shown and taken back', async () => {
    const policy = '{"singleton":{}}'
    expect((await ok('flow', 'set', 'asks', policy)).out).toBe(`asks: ${policy} is in force; 0 wait\n`)
    expect((await ok('flow', 'list', '-o', 'id')).out).toContain('asks\n')
    expect((await ok('flow', 'get', 'asks')).out).toMatch(/policy +\{"singleton":\{\}\}\nfrom +set here\n/)
    await ok('instances', 'start', 'asks')
    const busy = await cli.run(['instances', 'start', 'asks'])
    expect([busy.code, busy.err]).toEqual([5, expect.stringContaining('[SINGLETON_BUSY]')])
    expect((await cli.run(['flow', 'set', 'asks', '{"rate":{}}'])).code).toBe(6)
    expect((await cli.run(['flow', 'reset', 'asks', '--if-match', '"99"'])).code).toBe(5)
    await ok('flow', 'reset', 'asks')
    expect((await ok('flow', 'get', 'asks', '--json')).json).toMatchObject({ policy: null, chosen: null })
  })

  it('limits: are set, shown and taken back', async () => {
    expect((await ok('limits', 'set', 'mail/eu', '--concurrency', '2', '--rate', '100/1m')).out).toMatch(
      /^mail\/eu: 2 at once, 100 per 1m/,
    )
    expect((await ok('limits', 'list')).out).toMatch(/^KEY +AT ONCE +RATE +RUNNING +WAITING +SET\nmail\/eu +2 /)
    await ok('limit', 'reset', 'mail/eu')
    expect((await ok('limits', 'get', 'mail/eu')).out).toMatch(/counts +no bound\n/)
    for (const words of [[], ['--rate', '5'], ['--concurrency', 'few']])
      expect((await cli.run(['limits', 'set', 'mail/eu', ...words])).code).toBe(2)
    expect((await cli.run(['limits', 'get', 'ghost'])).code).toBe(4)
  })

  it('breakers: are opened and closed by hand', async () => {
    expect((await ok('breakers', 'trip', 'crm', '--for', '2h', '--reason', 'upkeep')).out).toMatch(/^crm is open for /)
    expect((await ok('breakers', 'list')).out).toMatch(/\ncrm +open .* upkeep\n/)
    expect((await ok('breakers', 'get', 'crm')).out).toMatch(/reason +upkeep\n/)
    expect((await ok('breaker', 'reset', 'crm')).out).toBe('crm is closed\n')
    expect((await cli.run(['breakers', 'reset', 'ghost'])).code).toBe(4)
  })
})
