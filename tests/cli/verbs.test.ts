/** Verbs that ask, that show what they would do, and that look at work which waits. */
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type CliOptions, openCli, type TestCli } from './open-cli.ts'

const waits = (extra: object[] = [], id = 'order') => ({
  id,
  activities: [{ id: 'ask', type: 'wait-for-event', inputs: { event: 'paid' } }, ...extra],
})

let cli: TestCli
beforeAll(async () => {
  cli = await openCli()
  await cli.write('order.json', waits())
  await ok('definitions', 'push', 'order.json', '--publish')
})
afterAll(() => cli[Symbol.asyncDispose]())

const ok = async (...words: string[]) => {
  const ran = await cli.run(words)
  expect([words.join(' '), ran.code, ran.code === 0 ? '' : ran.err]).toEqual([words.join(' '), 0, ''])
  return ran
}
const statusOf = async (id: string): Promise<string> => (await ok('instances', 'get', id, '--json')).json.status
const started = async (definition = 'order'): Promise<string> => {
  const id = (await ok('instances', 'start', definition, '-o', 'id')).out.trim()
  await expect.poll(() => statusOf(id)).toBe('suspended')
  return id
}
const no: CliOptions = { answers: [false] }

describe('what may be regretted', () => {
  it('is asked about at a terminal and shown by a dry run; programs go ahead with what can be undone', async () => {
    const id = await started()
    const shown = await cli.run(['instances', 'cancel', id, '--dry-run'])
    expect([shown.code, shown.out]).toEqual([0, expect.stringMatching(/order v1 +suspended/)])
    expect(await cli.run(['instances', 'cancel', id], no)).toMatchObject({
      code: 2,
      err: 'lockstep: Nothing was done\n',
    })
    expect(await statusOf(id)).toBe('suspended')
    expect(await cli.run(['instances', 'cancel', id])).toMatchObject({ code: 0 })
    await expect.poll(() => statusOf(id)).toBe('cancelled')
  })

  it('needs a yes of programs where it cannot be', async () => {
    const id = await started()
    expect((await ok('instances', 'terminate', id, '--dry-run')).out).toContain(id)
    expect(await cli.run(['instances', 'terminate', id])).toMatchObject({
      code: 2,
      err: expect.stringContaining('say --yes'),
    })
    expect(await statusOf(id)).toBe('suspended')
    await ok('instances', 'terminate', id, '--yes')
    await expect.poll(() => statusOf(id)).toBe('terminated')
  })

  it('deletes what has ended, and nothing else', async () => {
    const id = await started()
    expect(await cli.run(['instances', 'rm', id, '--yes'])).toMatchObject({
      code: 5,
      err: expect.stringMatching(/is suspended: only what has ended can be deleted.*\[INSTANCE_NOT_ENDED\]/s),
    })
    await ok('instances', 'cancel', id, '--yes')
    await expect.poll(() => statusOf(id)).toBe('cancelled')
    expect((await ok('instances', 'rm', id, '--dry-run', '-o', 'table')).out).toMatch(
      new RegExp(`ID +FACTS +INCIDENTS\\s+${id} +\\d+ +0`),
    )
    expect(await cli.run(['instances', 'rm', id])).toMatchObject({ code: 2, err: expect.stringContaining('say --yes') })
    await ok('retention', 'hold', '--instance', id, '--reason', 'a trial')
    expect(await cli.run(['instances', 'rm', id, '--yes'])).toMatchObject({
      code: 5,
      err: expect.stringMatching(/hold on this instance \(a trial\)/),
    })
    await ok('retention', 'release', '--instance', id)
    expect((await ok('instance', 'rm', id, '--yes', '-o', 'table')).out).toBe(`${id} is deleted\n`)
    expect(await cli.run(['instances', 'get', id])).toMatchObject({ code: 4 })
    expect(await cli.run(['instances', 'rm', id, '--yes'])).toMatchObject({ code: 4 })
  })

  it('shows who would lose a lock, and which version would be retracted', async () => {
    await using _held = await cli.locks.mutex('stock').acquire()
    const release = ['locks', 'release', 'stock', '--reason', 'a test']
    expect((await ok(...release, '--dry-run')).out).toBe('stock is held, held by node-a\n')
    expect((await ok('locks', 'get', 'stock', '--json')).json.state).toBe('held')
    expect((await ok('definitions', 'retract', 'order', '--dry-run')).out).toBe('order version 1 would be retracted\n')
    expect((await ok('definitions', 'get', 'order', '--json')).json.version).toBe(1)
  })

  it('says what a node has in hand before it is drained', async () => {
    const [node] = (await ok('cluster', 'nodes', '--json')).json
    expect((await ok('cluster', 'drain', node.name, '--dry-run')).out).toMatch(/has \d+ instances? in hand/)
    expect(await cli.run(['cluster', 'drain', node.name], no)).toMatchObject({ code: 2 })
    expect((await ok('cluster', 'nodes', '--json')).json[0].wanted).toBe('active')
  })
})

describe('versions', () => {
  it('are rolled back to the one before', async () => {
    await cli.write('rolled.json', waits([], 'rolled'))
    await ok('definitions', 'push', 'rolled.json', '--publish')
    expect(await cli.run(['workflow', 'rollback', 'rolled'])).toMatchObject({
      code: 2,
      err: 'lockstep: rolled has no version before 1\n',
    })
    await cli.write('rolled.json', waits([{ id: 'say', type: 'log', inputs: { message: 'x' } }], 'rolled'))
    await ok('definitions', 'push', 'rolled.json', '--publish')
    expect((await ok('workflow', 'rollback', 'rolled', '--dry-run')).out).toBe('rolled would go from version 2 to 1\n')
    expect((await ok('workflow', 'rollback', 'rolled')).out).toContain('version 1 is current again, instead of 2')
  })

  it('take running instances over, after a look at each of them', async () => {
    await cli.write('moving.json', waits([], 'moving'))
    await ok('definitions', 'push', 'moving.json', '--publish')
    const id = await started('moving')
    await cli.write('moving.json', {
      id: 'moving',
      activities: [{ id: 'other', type: 'wait-for-event', inputs: { event: 'paid' } }],
    })
    await ok('definitions', 'push', 'moving.json', '--publish')
    const impossible = await cli.run(['workflow', 'migrate', 'moving', '2', '--dry-run'])
    expect([impossible.code, impossible.out]).toEqual([5, expect.stringMatching(/incompatible.*\[NO_COUNTERPART\]/)])
    const mapped = ['--map', 'ask=other']
    expect((await ok('instance', 'migrate', id, '2', '--dry-run', ...mapped)).out).toMatch(/possible/)
    expect((await ok('instances', 'get', id, '--json')).json.version).toBe(1)
    await ok('workflow', 'migrate', 'moving', '2', ...mapped, '--yes')
    await expect.poll(async () => (await ok('instances', 'get', id, '--json')).json.version).toBe(2)
  })

  it('come back as files, and overwrite others only after a yes', async () => {
    expect((await ok('workflow', 'pull', 'order', '--dry-run')).out).toMatch(/order +workflows\/order\.yaml +new/)
    await ok('workflow', 'pull', 'order')
    const file = path.join(cli.folder, 'workflows/order.yaml')
    expect(await cli.run(['validate', file])).toMatchObject({ code: 0 })
    expect((await ok('workflow', 'pull', 'order')).out).toContain('same')
    writeFileSync(file, 'mine')
    expect(await cli.run(['workflow', 'pull', 'order'])).toMatchObject({ code: 2 })
    expect(readFileSync(file, 'utf8')).toBe('mine')
    await ok('workflow', 'pull', '--yes')
    expect(readFileSync(file, 'utf8')).toContain('id: order')
  })
})

describe('what waits', () => {
  it('is listed: queues, leaders, the next fires', async () => {
    await started()
    expect((await ok('queue', 'list', '--json')).json).toEqual(expect.any(Array))
    expect(await cli.run(['cluster', 'leader'])).toMatchObject({ code: 0, err: expect.stringContaining('no election') })
    await cli.write('nightly.json', { id: 'nightly', trigger: { cron: '0 3 * * *' }, definitionId: 'order' })
    await ok('schedules', 'apply', 'nightly.json')
    expect((await ok('schedule', 'next', '--json')).json).toMatchObject([{ id: 'nightly' }])
    expect((await ok('schedule', 'next', 'nightly', '--count', '3', '--json')).json).toHaveLength(3)
  })

  it('is decided by people from the command line', async () => {
    await cli.write('approve.json', {
      id: 'approve',
      activities: [{ id: 'ask', type: 'human-task', inputs: { title: 'Buy it?', outcomes: ['yes', 'no'] } }],
    })
    await ok('definitions', 'push', 'approve.json', '--publish')
    const instance = await started('approve')
    const [task] = (await ok('human-task', 'list', '--instance', instance, '--json')).json
    expect(task).toMatchObject({ title: 'Buy it?', status: 'open' })
    expect((await ok('human-tasks', 'link', task.id)).out).toMatch(/^http:\/\/.*\/flow\/resume\/rt_/)
    expect((await ok('human-tasks', 'complete', task.id, '--outcome', 'yes', '--by', 'ann')).out).toContain(': yes')
    expect((await ok('human-tasks', 'get', task.id)).out).toMatch(/by +ann/)
    await expect.poll(() => statusOf(instance)).toBe('completed')
  })

  it('is done by workers', async () => {
    await cli.write('work.json', {
      id: 'work',
      activities: [{ id: 'do', type: 'run-task', inputs: { task: 'resize', queue: 'images' } }],
    })
    await ok('definitions', 'push', 'work.json', '--publish')
    await started('work')
    const [task] = (await ok('task', 'list', '--queue', 'images', '--json')).json
    expect((await ok('tasks', 'get', task.id)).out).toMatch(/name +resize/)
  })
})

describe('where a command goes', () => {
  const profiles = () => path.join(cli.folder, 'home/lockstep/profiles.json')
  const at = (more: CliOptions = {}): CliOptions => ({
    ...more,
    environment: { XDG_CONFIG_HOME: path.join(cli.folder, 'home'), LOCKSTEP_URL: '', ...more.environment },
  })

  it('is kept under a name, with a key that nobody else can read and no other server gets', async () => {
    const login = await cli.run(['auth', 'login', 'prod', '--url', cli.url], at({ input: 'a-key-of-mine\n' }))
    expect([login.code, login.out]).toEqual([0, expect.stringContaining('is profile prod')])
    expect(statSync(profiles()).mode & 0o777).toBe(0o600)
    expect((await cli.run(['auth', 'status', '--json'], at())).json).toMatchObject({ url: cli.url, profile: 'prod' })
    const shown = await cli.run(['config', 'show', '--origin'], at())
    expect(shown.out).toMatch(/url +http\S+ +profile prod\n/)
    expect(shown.out).toMatch(/api key +\*{3} +profile prod\n/)
    expect(shown.out).not.toContain('a-key-of-mine')
    const elsewhere = await cli.run(['config', 'show', '--url', 'http://elsewhere:1'], at())
    expect(elsewhere.out).not.toContain('api key')
    expect((await cli.run(['nodes', 'list', '--profile', 'test'], at())).err).toContain('There is no profile "test"')
    const listed = (await cli.run(['auth', 'list', '--json'], at())).json
    expect(listed).toEqual([{ name: 'prod', url: cli.url, current: true, hasKey: true }])
    await cli.run(['auth', 'logout'], at())
    expect(readFileSync(profiles(), 'utf8')).not.toContain('a-key-of-mine')
  })

  it('is told with who set it, without credentials', async () => {
    await cli.write('lockstep.config.json', { concurrency: 7, port: 1 })
    const environment = {
      LOCKSTEP_PORT: '4500',
      LOCKSTEP_API_KEY: 'hunter2-hunter2',
      LOCKSTEP_DATABASE_URL: 'postgres://me:hunter2@db/x',
    }
    const { out } = await cli.run(['config', 'show', '--origin'], { environment })
    expect(out).toMatch(/server\.port +4500 +LOCKSTEP_PORT\n/)
    expect(out).toMatch(/server\.concurrency +7 +lockstep\.config\.json\n/)
    expect(out).not.toContain('hunter2')
  })

  it('is a page of Studio', async () => {
    expect((await ok('open')).out).toBe(`${cli.url}/\n`)
    expect((await ok('open', 'wfi_1')).out).toBe(`${cli.url}/instances/wfi_1\n`)
    expect(await cli.run(['open', 'nowhere'])).toMatchObject({ code: 2, err: expect.stringContaining('no page') })
  })
})
