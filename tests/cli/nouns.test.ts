import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openCli, type TestCli } from './open-cli.ts'

const approval = (id: string, extra: object = {}) => ({
  id,
  name: 'Approval',
  variables: { tries: { type: 'number', default: 1 } },
  activities: [
    { id: 'ask', type: 'wait-for-event', inputs: { event: 'approved' } },
    { id: 'out', type: 'set-output', inputs: { name: 'by', value: { $expr: 'steps.ask.output.by' } } },
  ],
  connections: [{ from: 'ask', to: 'out' }],
  ...extra,
})
const faulty = { id: 'faulty', activities: [{ id: 'boom', type: 'fault', inputs: { message: 'no more paper' } }] }

let cli: TestCli
beforeAll(async () => {
  cli = await openCli()
  await cli.write('approval.json', approval('approval'))
  await cli.write('faulty.json', faulty)
  for (const file of ['approval.json', 'faulty.json'])
    expect(await cli.run(['definitions', 'push', file, '--publish'])).toMatchObject({ code: 0 })
})
afterAll(() => cli[Symbol.asyncDispose]())

const ok = async (...words: string[]) => {
  const ran = await cli.run(words)
  expect([words.join(' '), ran.code, ran.err]).toEqual([words.join(' '), 0, expect.any(String)])
  return ran
}
const waiting = async (...more: string[]): Promise<string> => {
  const id = (await ok('instances', 'start', 'approval', ...more)).out.trim()
  await expect.poll(async () => (await ok('instances', 'get', id, '--json')).json.status).toBe('suspended')
  return id
}

describe('definitions', () => {
  it('are listed as a table, as JSON, as lines and as ids', async () => {
    const table = (await ok('definitions', 'list')).out
    expect(table).toMatch(/^ID +NAME +KIND +VERSION +TAGS\n/)
    expect(table).toMatch(/\napproval +Approval +graph +v1 *\n/)
    const found = await ok('definitions', 'list', '--search', 'APPROV', '--sort', '-updatedAt', '-o', 'id')
    expect(found.out).toBe('approval\n')
    expect((await ok('definitions', 'list', '--tag', 'nobody')).out).toBe('')
    expect((await ok('definitions', 'list', '--json')).json[0]).toMatchObject({ id: 'approval', version: 1 })
    expect((await ok('definition', 'list', '-o', 'id')).out.split('\n')).toContain('approval')
    expect(JSON.parse((await ok('definitions', 'list', '-o', 'jsonl')).out.split('\n')[0]!)).toMatchObject({
      kind: 'graph',
    })
  })

  it('are pushed, published, compared, put back and thrown away', async () => {
    await cli.write('edited.yaml', 'id: edited\nactivities:\n  - { id: a, type: log, inputs: { message: one } }\n')
    expect((await ok('definitions', 'push', 'edited.yaml')).out).toBe('The draft of edited is saved\n')
    expect((await ok('definitions', 'publish', 'edited')).out).toBe('edited version 1 is published\n')
    await cli.write('edited.yaml', 'id: edited\nactivities:\n  - { id: a, type: log, inputs: { message: two } }\n')
    await ok('definitions', 'push', 'edited.yaml')
    expect((await ok('definitions', 'diff', 'edited')).out).toMatch(/changed +activity a +needs-care/)
    await ok('definitions', 'publish', 'edited')
    expect((await ok('definitions', 'versions', 'edited')).out).toMatch(/v2 +yes.*\n +v1 /)
    expect((await ok('definitions', 'republish', 'edited', '1')).out).toContain('version 1 is current again')
    expect((await ok('definitions', 'get', 'edited')).out).toMatch(/published +version 1\n/)
    expect((await ok('definitions', 'retract', 'edited', '--yes')).out).toContain('retracted')
    expect((await ok('definitions', 'consumers', 'edited')).err).toBe('No graph runs it\n')
    await ok('definitions', 'push', 'edited.yaml')
    expect((await ok('definitions', 'discard', 'edited', '-y')).out).toContain('is version 2 again')
  })

  it('go out and come in as text', async () => {
    const yaml = (await ok('definitions', 'export', 'approval', 'faulty')).out
    expect(yaml.match(/^id: /gm)).toHaveLength(2)
    await cli.write('both.yaml', yaml.replace('id: approval', 'id: second'))
    const report = (await ok('definitions', 'import', 'both.yaml', '--dry-run')).out
    expect(report).toMatch(/second +created +0/)
    expect((await cli.run(['definitions', 'get', 'second'])).code).toBe(4)
    await ok('definitions', 'import', 'both.yaml')
    expect((await ok('definitions', 'export', 'second', '--format', 'json')).json).toMatchObject({ id: 'second' })
  })

  it('that have errors are refused with every place, and nothing is written', async () => {
    await cli.write('bad.json', { id: 'bad', activities: [{ id: 'x', type: 'no-such-thing' }] })
    const imported = await cli.run(['definitions', 'import', 'bad.json'])
    expect([imported.code, imported.err]).toEqual([6, expect.stringContaining('bad: error /activities/0/type')])
    const pushed = await cli.run(['definitions', 'push', 'bad.json', '--publish'])
    expect([pushed.code, pushed.err]).toEqual([6, expect.stringMatching(/^lockstep: .*\[DEFINITION_INVALID\]\n$/)])
    expect((await cli.run(['definitions', 'get', 'bad'])).code).toBe(4)
  })
})

describe('instances', () => {
  it('are started, found by filter, explained and resumed', async () => {
    const id = await waiting('--input', '{"customer":{"id":42}}', '--correlation', 'c-1')
    const filter = 'status=suspended definition=approval correlation=c-1 input.customer.id=42 createdAt>=-1h'
    expect((await ok('instances', 'list', '--filter', filter, '-o', 'id')).out).toBe(`${id}\n`)
    expect((await ok('instances', 'list', '-f', 'input.customer.id=43')).err).toBe('No instance fits\n')
    expect((await ok('instances', 'list', '-q', 'c-', '--sort', 'createdAt', '-o', 'id')).out).toBe(`${id}\n`)
    expect((await ok('instances', 'list', '--tag', 'nobody')).err).toBe('No instance fits\n')
    expect((await ok('instances', 'list', '--status', 'suspended')).out).toMatch(
      /approval v1 +suspended .*waits for approved/,
    )
    expect((await ok('why', id)).out).toMatch(/^It waits for event "approved"[\s\S]*advice +Publish event/)
    expect((await ok('instances', 'state', id, '--at', '1')).out).toMatch(/fact +1 of \d+ .*\n[\s\S]*step +ask active/)
    expect((await ok('instances', 'journal', id)).out).toMatch(/1 .* started /)
    const newest = (await ok('instances', 'journal', id, '--newest', '--json')).json
    expect(newest[0].seq).toBeGreaterThan(newest.at(-1).seq)
    expect((await ok('instances', 'resume', id, 'approved', '--payload', '{"by":"al"}')).out).toBe(
      `${id} was resumed\n`,
    )
    const watched = await ok('instances', 'watch', id)
    expect(watched.out).toBe(`${id} completed: {"by":"al"}\n`)
    expect(watched.err).toMatch(/started.*\n.*waiting ask for approved\n.*completed ask/)
    const again = await cli.run(['instances', 'resume', id])
    expect([again.code, again.err]).toEqual([5, expect.stringContaining('[ALREADY_RESUMED]')])
  })

  it('that are waited for give the exit code', async () => {
    const bad = await cli.run(['instances', 'start', 'faulty', '--wait'])
    expect([bad.code, bad.err]).toEqual([1, expect.stringMatching(/ended as faulted: no more paper \[.*\]\n$/)])
    const slow = await cli.run(['instances', 'start', 'approval', '--wait', '100ms', '--json'])
    expect([slow.code, slow.json.status]).toEqual([8, expect.stringMatching(/running|suspended/)])
    const cancelled = await waiting()
    expect((await ok('instances', 'cancel', cancelled, '--reason', 'no')).out).toContain('asked to stop')
    expect((await cli.run(['instances', 'watch', cancelled])).code).toBe(1)
  })

  it('hear of events', async () => {
    const id = await waiting('--correlation', 'c-9')
    expect((await ok('events', 'publish', 'approved', '--correlation', 'c-9', '--payload', '{"by":"bo"}')).out).toBe(
      'Reached 1 instance\n',
    )
    expect((await ok('instances', 'watch', id)).out).toContain('{"by":"bo"}')
    expect((await ok('events', 'publish', 'nobody', '--ttl', '1m')).out).toContain('kept for who waits later')
  })
})

describe('schedules', () => {
  it('are applied, previewed, triggered, filled in, paused and deleted', async () => {
    await cli.write('hourly.yaml', 'id: hourly\ntrigger: { cron: "0 * * * *" }\ndefinitionId: faulty\n')
    expect((await ok('schedules', 'preview', 'hourly.yaml', '--count', '2')).out.split('\n')).toHaveLength(4)
    expect((await ok('schedules', 'apply', 'hourly.yaml')).out).toMatch(/^hourly is created; it fires next at .*:00:00/)
    expect((await ok('schedules', 'apply', 'hourly.yaml')).out).toMatch(/^hourly is replaced/)
    expect((await ok('schedules', 'list')).out).toMatch(/hourly +faulty +0 \* \* \* \* +in /)
    expect((await ok('schedules', 'trigger', 'hourly')).out).toMatch(/^hourly: started wfi_/)
    const filled = await ok(
      'schedules',
      'backfill',
      'hourly',
      '--from',
      '2026-01-01T00:00:00Z',
      '--to',
      '2026-01-01T02:00:00Z',
      '--overlap',
      'allow',
    )
    expect(filled.out).toBe('hourly: started 2, queued 0, had run before 0\n')
    expect((await ok('schedules', 'runs', 'hourly')).out).toMatch(/2026-01-01T01:00:00\.000Z +started +backfill/)
    expect((await ok('schedules', 'pause', 'hourly')).out).toBe('hourly is paused\n')
    expect((await ok('schedules', 'list', '--paused')).out).toContain('paused')
    expect((await ok('schedules', 'get', 'hourly')).out).toMatch(/next +paused/)
    await ok('schedules', 'resume', 'hourly')
    expect((await ok('schedules', 'run-due')).out).toContain('Started 0')
    expect((await ok('schedules', 'delete', 'hourly', '--yes')).out).toBe('hourly is removed\n')
    expect((await cli.run(['schedules', 'get', 'hourly'])).code).toBe(4)
  })
})

describe('locks and nodes', () => {
  it('are listed; a lock is taken away only after a yes', async () => {
    await using _ = await cli.locks.mutex('orders/42').acquire()
    expect((await ok('locks', 'list', '--prefix', 'orders')).out).toMatch(/orders\/42 +mutex +held +node-a/)
    expect((await ok('locks', 'get', 'orders/42')).out).toMatch(/held by +node-a \(mutex, fence \d+\)/)
    const release = ['locks', 'release', 'orders/42', '--reason', 'stuck']
    const nobody = await cli.run(release)
    expect([nobody.code, nobody.err]).toEqual([2, expect.stringContaining('say --yes')])
    expect((await cli.run(release, { answers: [false] })).err).toBe('lockstep: Nothing was done\n')
    expect((await cli.run(release, { answers: [true] })).out).toBe('orders/42: 1 lease ended, it is free\n')
    expect((await cli.run(['locks', 'get', 'orders/42'])).code).toBe(4)
    expect((await ok('nodes', 'list')).out).toMatch(/node \* +alive/)
  })
})

describe('upkeep', () => {
  it('shows and changes what is kept', async () => {
    expect((await ok('retention', 'list')).err).toContain('No rules')
    await ok('retention', 'keep', 'completed', '30d')
    await ok('retention', 'keep', 'faulted', 'forever', '--definition', 'faulty')
    await ok('retention', 'hold', '--definition', 'approval', '--reason', 'audit')
    const rules = (await ok('retention', 'list')).out
    expect(rules).toMatch(/everything +completed kept for 30d/)
    expect(rules).toMatch(/faulty +faulted kept for ever/)
    expect(rules).toMatch(/approval +held .*audit/)
    await ok('retention', 'forget', 'completed')
    await ok('retention', 'release', '--definition', 'approval')
    expect((await cli.run(['retention', 'release'])).err).toContain('Name one of')
    expect((await ok('retention', 'sweep', '--yes')).out).toMatch(/^Deleted \d+ instances/)
  })

  it('examines the store, and says by its exit code what it found', async () => {
    const well = (await ok('doctor')).out
    expect(well).toMatch(/^Healthy: looked at/)
    expect(well).toMatch(/^ok +lock-round-trip +A lock was had after [\d.]+ ms/m)
    expect(well).toMatch(/^ok +clock-skew /m)
    expect(well).toMatch(/^ok +versions +All nodes run /m)
    const { checks } = (await ok('doctor', '--json')).json
    expect(checks.map(({ check }: { check: string }) => check)).toEqual(
      expect.arrayContaining(['address', 'command-line', 'nodes', 'lock-round-trip', 'round-trip', 'persistence']),
    )
    const id = (await waiting()).replace('wfi_', '')
    await cli.db.script(
      `delete from bookmark where instance_id = '${id}'; delete from agenda where instance_id = '${id}'`,
    )
    const sick = await cli.run(['doctor'])
    expect([sick.code, sick.out]).toEqual([1, expect.stringMatching(/STRANDED +1 \(safe to repair\)/)])
    expect((await ok('doctor', '--repair')).out).toMatch(/STRANDED +1 \(1 repaired\)/)
  })
})
