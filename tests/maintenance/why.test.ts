import { type Engine, workflow } from '@lockstep/engine'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestEngine, type TestEngine } from '../engine/open-test-engine.ts'
import { until } from '../faults/until.ts'

const asks = workflow('asks', async (ctx) => ctx.waitFor('approved', { correlationId: 'o-1', timeout: '2h' }))
const naps = workflow('naps', async (ctx) => ctx.sleep('1h'))
const tries = workflow('tries', async (ctx) =>
  ctx.step(
    'call',
    async () => {
      throw new Error('no answer')
    },
    { retry: { attempts: 3, initial: '1h', max: '1h' } },
  ),
)
const parent = workflow('parent', async (ctx) => ctx.run('asks', {}))
const fails = workflow('fails', async () => {
  throw new Error('broken')
})
let letGo = (): void => undefined
const gate = new Promise<void>((resolve) => {
  letGo = resolve
})
const works = workflow('works', async (ctx) => ctx.step('long', () => gate))

let test: TestEngine
let engine: Engine
beforeAll(async () => {
  test = await openTestEngine({ workflows: [asks, naps, tries, parent, fails, works], name: 'node-a' })
  engine = test.engine
})
afterAll(() => test?.[Symbol.asyncDispose]())

const resting = async (definitionId: string, status = 'suspended'): Promise<string> => {
  const { instanceId } = await engine.start({ definitionId })
  await test.rests(instanceId, status)
  return instanceId
}

describe('why', () => {
  it('names the event, since when, and until when', async () => {
    const id = await resting('asks')
    const why = await engine.why(id)
    const [wait] = why.waitsFor
    expect(why).toMatchObject({
      state: 'waiting',
      status: 'suspended',
      heldBy: undefined,
      queue: undefined,
      blockers: [],
    })
    expect(wait).toMatchObject({
      kind: 'event',
      name: 'approved',
      correlationId: 'o-1',
      bookmarkId: expect.any(String),
    })
    expect(wait?.kind === 'event' && wait.expiresAt! - wait.since).toBe(7_200_000)
    expect(why.since).toBe(wait?.since)
    expect(why.movesAt).toBe(wait?.kind === 'event' ? wait.expiresAt : 0)
    expect(why.text).toMatch(/^It waits for event "approved" of o-1 since .*, for 1 h 59 min more\.$/)
    expect(why.advice.join()).toContain('approved')
  })

  it('names the timer and its time', async () => {
    const why = await engine.why(await resting('naps'))
    expect(why).toMatchObject({ state: 'waiting', waitsFor: [{ kind: 'timer' }] })
    expect(why.waitsFor[0]).toMatchObject({ dueAt: why.movesAt })
    expect(why.text).toMatch(/in 59 min 5\d s\.$/)
  })

  it('names the attempt that failed, why, and when the next one comes', async () => {
    const why = await engine.why(await resting('tries'))
    expect(why).toMatchObject({
      state: 'waiting',
      waitsFor: [{ kind: 'retry', step: 'call', attempt: 1, dueAt: why.movesAt }],
    })
    expect(why.text).toContain('no answer')
  })

  it('names the child, and why that has not ended', async () => {
    const id = await resting('parent')
    const [child] = (await engine.why(id)).waitsFor
    expect(child).toMatchObject({
      kind: 'child',
      definitionId: 'asks',
      why: expect.stringContaining('waits for event "approved"'),
    })
    expect((await engine.why(id)).text).toContain('approved')
  })

  it('names the node that works on it', async () => {
    const { instanceId } = await engine.start({ definitionId: 'works' })
    expect(await engine.why(instanceId)).toMatchObject({
      state: 'held',
      heldBy: { nodeId: engine.nodeId, name: 'node-a', claimNo: 1, alive: true },
      text: 'Node node-a has it (claim 1).',
    })
    letGo()
    await test.rests(instanceId, 'completed')
    expect(await engine.why(instanceId)).toMatchObject({ state: 'ended', waitsFor: [], movesAt: undefined, advice: [] })
  })

  it('tells of a fault and its incident', async () => {
    const why = await engine.why(await resting('fails', 'faulted'))
    expect(why).toMatchObject({ state: 'ended', status: 'faulted', incidents: [{ message: 'broken' }] })
    expect(why.text).toMatch(/^It ended as faulted .* Incident .*broken/)
    expect(why.advice).toHaveLength(1)
  })

  it('tells its place in a queue that no worker serves', async () => {
    const id = await resting('asks')
    await test.db.script(`
      insert into agenda (instance_id, tenant, queue, due_at, claim_no) select gen_random_uuid(), 'default', 'fn/gone/7', now() - n * interval '1 minute', 1 from generate_series(2, 4) n;
      update instance set queue = 'fn/gone/7' where id = '${id}';
      update agenda set queue = 'fn/gone/7', due_at = now() - interval '1 minute' where instance_id = '${id}'`)
    const why = await engine.why(id)
    expect(why).toMatchObject({
      ...{ state: 'due', queue: { name: 'fn/gone/7', ahead: { value: 3, exact: true } } },
      ...{ blockers: [{ kind: 'no-worker-here' }], heldBy: undefined },
    })
    expect(why.queue!.lateMs).toBeGreaterThanOrEqual(60_000)
    expect(why.text).toContain('3 go first')
    expect(why.text).toContain('version 7 of the function "gone"')
  })

  it('names an operator who cordoned the only node, and the way back', async () => {
    await test.db.script(`update node set wanted = 'cordoned'`)
    await until('it has heard of it', async () => engine.cluster.state === 'cordoned', 60_000)
    const { instanceId } = await engine.start({ definitionId: 'fails' })
    expect(await engine.why(instanceId)).toMatchObject({
      ...{ state: 'due', blockers: [{ kind: 'nodes-cordoned' }] },
      text: expect.stringContaining('Node node-a is cordoned by an operator'),
      advice: [expect.stringContaining('lockstep cluster uncordon node-a')],
    })
    await test.db.script(`update node set wanted = 'active'`)
    await test.rests(instanceId, 'faulted')
  })

  it('counts no further than it may', async () => {
    const id = await resting('asks')
    await test.db.script(`
      insert into agenda (instance_id, tenant, queue, due_at, claim_no) select gen_random_uuid(), 'default', 'long', now() - interval '1 hour', 1 from generate_series(1, 1200);
      update agenda set queue = 'long', due_at = now() where instance_id = '${id}'`)
    const why = await engine.why(id)
    expect(why.queue?.ahead).toEqual({ value: 1_000, exact: false })
    expect(why.text).toContain('more than 1000 go first')
  })

  it('tells of an owner that is silent', async () => {
    const id = await resting('naps')
    const silent = '00000000-0000-7000-8000-00000000aaaa'
    await test.db.script(`
      insert into node (id, name, version, beat_at) values ('${silent}', 'node-b', '0', now() - interval '1 minute');
      update agenda set claimed_by = '${silent}' where instance_id = '${id}'`)
    expect(await engine.why(id)).toMatchObject({
      ...{ state: 'orphaned', heldBy: { name: 'node-b', alive: false }, blockers: [{ kind: 'silent-owner' }] },
      text: expect.stringContaining('node-b'),
    })
    await until('the others buried it', async () => (await engine.why(id)).state === 'waiting')
  })

  it('tells of what is put aside, and of what nothing will move', async () => {
    const [poison, lost] = [await resting('asks'), await resting('asks')]
    await test.db.script(`
      update instance set status = 'quarantined' where id = '${poison}';
      delete from bookmark where instance_id = '${lost}'; delete from agenda where instance_id in ('${lost}', '${poison}')`)
    expect(await engine.why(poison)).toMatchObject({ state: 'quarantined' })
    expect(await engine.why(lost)).toMatchObject({ state: 'stranded', advice: ['Run doctor with repair'] })
  })

  it('asks others what is in the way', async () => {
    await using other = await openTestEngine({
      workflows: [naps],
      blockerSources: [async ({ definitionId }) => [{ kind: 'limit', text: `Limit of ${definitionId} is reached` }]],
    })
    const { instanceId } = await other.engine.start({ definitionId: 'naps' })
    await other.rests(instanceId, 'suspended')
    const why = await other.engine.why(instanceId)
    expect(why.blockers).toEqual([{ kind: 'limit', text: 'Limit of naps is reached' }])
    expect(why.text).toContain('Limit of naps is reached.')
  })

  it('knows nothing of strangers', async () => {
    const id = await resting('naps')
    await expect(engine.why(id, 'other')).rejects.toMatchObject({ code: 'INSTANCE_NOT_FOUND' })
    await expect(engine.why('00000000-0000-7000-8000-0000000000ff')).rejects.toMatchObject({
      code: 'INSTANCE_NOT_FOUND',
    })
  })
})
