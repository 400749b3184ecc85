import { postgresEngineStore } from '@lockstep/postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { flaky } from '../../packages/server/test/operations.ts'
import { openCli, type TestCli } from './open-cli.ts'

let cli: TestCli
beforeAll(async () => {
  cli = await openCli()
  await cli.write('flaky.json', flaky('flaky'))
  const waits = {
    id: 'waits',
    variables: { seen: { type: 'boolean', default: false } },
    activities: [{ id: 'ask', type: 'wait-for-event', inputs: { event: 'go' } }],
  }
  await cli.write('waits.json', waits)
  await cli.write('waits2.json', { ...waits, name: 'Second' })
  for (const file of ['flaky.json', 'waits.json']) await cli.run(['definitions', 'push', file, '--publish'])
})
afterAll(() => cli[Symbol.asyncDispose]())

const ok = async (...words: string[]) => {
  const ran = await cli.run(words)
  if (ran.code !== 0) expect.fail(`${words.join(' ')} ended with ${ran.code}: ${ran.err}`)
  return ran
}
const get = async (id: string) => (await ok('instances', 'get', id, '--json')).json
const rests = (id: string, status: string) => expect.poll(async () => (await get(id)).status).toBe(status)
const waiting = async (): Promise<string> => {
  const id = (await ok('instances', 'start', 'waits')).out.trim()
  await rests(id, 'suspended')
  return id
}
const faulted = async (): Promise<string> => {
  const id = (await ok('instances', 'start', 'flaky')).out.trim()
  await rests(id, 'faulted')
  return id
}

describe('operators', () => {
  it('pause, change, migrate and end an instance', async () => {
    const id = await waiting()
    expect((await ok('instances', 'pause', id, '--reason', 'later')).out).toContain('is told to pause')
    await rests(id, 'paused')
    expect((await ok('why', id)).out).toMatch(/paused/)
    await ok('instances', 'continue', id)
    await rests(id, 'suspended')
    await ok('instances', 'set', id, 'seen=true')
    await expect.poll(async () => (await get(id)).variables).toEqual({ seen: true })
    await ok('definitions', 'push', 'waits2.json', '--publish')
    await ok('instances', 'migrate', id, '2')
    await expect.poll(async () => (await get(id)).version).toBe(2)
    expect((await cli.run(['instances', 'terminate', id])).code).toBe(2)
    await ok('instances', 'terminate', id, '--yes')
    await rests(id, 'terminated')
    const late = await cli.run(['instances', 'pause', id])
    expect([late.code, late.err]).toEqual([5, expect.stringContaining('[INSTANCE_WRONG_STATE]')])
  })

  it('mend what has faulted, or try it on a copy first', async () => {
    const id = await faulted()
    const copy = (await ok('instances', 'fork', id, '--at', '1', '--set', 'sound=true')).out.trim()
    expect((await cli.run(['instances', 'watch', copy])).code).toBe(0)
    const strange = await cli.run(['instances', 'retry', id, '--step', 'nowhere'])
    expect([strange.code, strange.err]).toEqual([4, expect.stringContaining('[STEP_NOT_FOUND]')])
    await ok('instances', 'retry', id, '--step', 'check', '--set', 'sound=true')
    await rests(id, 'completed')
  })

  it('see incidents one by one and in groups, and resolve them', async () => {
    for (const _ of [1, 2]) await faulted()
    const list = (await ok('incidents', 'list', '--definition', 'flaky')).out
    expect(list).toMatch(/open +flaky v1 +boom +WORKFLOW_FAULT .*not sound yet/)
    const [group] = (await ok('incidents', 'groups', '--json')).json
    expect(group.open).toBeGreaterThanOrEqual(2)
    const [first] = (await ok('incidents', 'list', '--json')).json
    expect((await ok('incidents', 'get', first.id)).out).toMatch(/failure +WORKFLOW_FAULT: not sound yet/)
    expect((await ok('incidents', 'resolve', first.id, '--note', 'known')).out).toContain('is resolved (noted)')
    expect((await cli.run(['incidents', 'resolve', first.id])).code).toBe(5)
    const care = (...said: string[]) => ok('incidents', ...said)
    expect((await care('acknowledge', group.fingerprint, '--note', 'seen')).out).toMatch(/^\d+ open: seen/)
    expect((await care('assign', group.fingerprint, 'ana')).out).toMatch(/assigned to ana, seen/)
    expect((await care('mute', group.fingerprint, '--for', '8h')).out).toMatch(/muted until 2\d\d\d-/)
    const shown = async (flag: string) => (await care('groups', flag, '--json')).json.length
    expect([await shown('--muted'), await shown('--no-muted')]).toEqual([1, 0])
    expect((await care('groups')).out).toMatch(/assigned to ana, seen.*, muted until/)
    await care('unmute', group.fingerprint)
    await care('assign', group.fingerprint)
    expect((await care('acknowledge', group.fingerprint, '--undo')).out).toMatch(/open: nobody has seen them yet/)
    expect((await cli.run(['incidents', 'mute', group.fingerprint])).code).toBe(2)
    expect((await cli.run(['incidents', 'acknowledge', '0123456789abcdef'])).code).toBe(4)
    const dry = (await ok('incidents', 'resolve-alike', group.fingerprint, '--dry-run')).out
    expect(dry).toMatch(/^(at least )?\d+ open incidents have this fingerprint\n$/)
    const refused = await cli.run(['incidents', 'resolve-alike', group.fingerprint], { answers: [false] })
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('Nothing was done')])
    expect((await ok('incidents', 'resolve-alike', group.fingerprint)).out).toMatch(/^\d+ resolved\n$/)
    expect((await ok('incidents', 'list')).err).toBe('No open incidents\n')
  })

  it('do one thing with many, after a look at how many', async () => {
    const ids = [await waiting(), await waiting(), await waiting()]
    const words = ['batches', 'run', 'cancel', '--filter', 'definition=waits status=suspended']
    expect((await ok(...words, '--dry-run')).out).toBe('cancel would be done with 3 instances\n')
    expect((await cli.run(words)).err).toContain('Do cancel with 3 instances? There is nobody to ask: say --yes')
    expect((await cli.run(['batches', 'run', 'cancel'])).err).toContain('Say which instances')
    expect((await ok(...words, '--exclude', ids[0]!, '--dry-run')).out).toBe('cancel would be done with 2 instances\n')
    expect((await cli.run([...words, '--limit', 'some'])).err).toContain('--limit must be a whole number')
    const done = await cli.run([...words, '--yes', '--wait', '--json'], { pauses: 1_000 })
    expect([done.code, done.json.state, done.json.outcomes]).toEqual([0, 'done', { accepted: 3 }])
    for (const id of ids) await rests(id, 'cancelled')
    expect((await ok('batches', 'list')).out).toMatch(/cancel +done +3\/3/)
    expect((await ok('batches', 'get', done.json.id)).out).toMatch(/wfi_.* accepted/)
    for (const verb of ['cancel', 'pause', 'continue'])
      expect((await cli.run(['batches', verb, done.json.id])).code).toBe(5)
    expect((await ok('batches', 'run', 'cancel', ids[0]!, '--reason', 'late', '--dry-run')).out).toBe(
      'cancel would be done with 0 instances, and not with 1 that fit: 1 cancelled\n',
    )
  })

  it('does it with those that were counted, not with those that began while somebody thought', async () => {
    const counted = await waiting()
    let late = ''
    const ran = await cli.run(['batches', 'run', 'cancel', '--filter', 'definition=waits status=suspended', '--wait'], {
      pauses: 1_000,
      answer: async () => {
        late = await waiting()
        return true
      },
    })
    expect(ran.out).toMatch(/is done: 1 accepted\n$/)
    await rests(counted, 'cancelled')
    await rests(late, 'suspended')
    await ok('instances', 'cancel', late)
  })

  it('lets a batch rest, and go on', async () => {
    const id = await waiting()
    // Written where nobody is woken for it.
    const operation = '0199a000-0000-7000-8000-000000000001'
    const resting = { tenant: 'default', id: operation, verb: 'cancel', options: '{}', limit: 1, note: undefined }
    const filter = { instanceIds: [id.slice(4)] }
    await postgresEngineStore(cli.db).operations.create({ ...resting, filter })
    expect((await ok('batches', 'pause', `bop_${operation}`)).out).toBe(`bop_${operation} is paused after 0 of 0\n`)
    expect((await ok('batches', 'list')).out).toMatch(/cancel +paused +0\/0/)
    expect((await ok('batches', 'continue', `bop_${operation}`)).out).toContain('goes on after')
    await rests(id, 'cancelled')
  })
})
