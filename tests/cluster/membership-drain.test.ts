/** Cordon, drain and SIGTERM: what a node has goes to another, at once where it rests, after its effects where it runs. */
import { expect, it } from 'vitest'
import { until } from '../faults/until.ts'
import { LockstepProcess } from '../start/run-lockstep.ts'
import { ClusterSite, PATIENCE_MS, type SiteNode, SlowService } from './membership-site.ts'

const resting = {
  id: 'resting',
  input: { type: 'object' },
  activities: [
    { id: 'rest', type: 'delay', inputs: { duration: { $expr: 'input.for' } } },
    { id: 'out', type: 'set-output', inputs: { name: 'done', value: true } },
  ],
  connections: [{ from: 'rest', to: 'out' }],
}
const calling = {
  id: 'calling',
  input: { type: 'object' },
  activities: [
    // It ends when the test lets it, however long that takes a busy machine.
    { id: 'call', type: 'http-request', inputs: { method: 'GET', url: { $expr: 'input.url' }, timeout: '10m' } },
    { id: 'out', type: 'set-output', inputs: { name: 'done', value: true } },
  ],
  connections: [{ from: 'call', to: 'out' }],
}

const asking = { id: 'asking', activities: [{ id: 'ask', type: 'wait-for-event', inputs: { event: 'go' } }] }

/** A step that runs when this is over begins anew elsewhere, which these tests are not about. */
const PATIENT_DRAIN = { LOCKSTEP_DRAIN_MS: '240000' }

const reaches = (asked: SiteNode, name: string, state: string): Promise<void> =>
  until(`${name} is ${state}`, async () => (await asked.node(name)).state === state, PATIENCE_MS)

/** From the table: the API shows an event only when nothing can come before it any more, which others on this server may delay. */
async function toldUntil(site: ClusterSite, last: string): Promise<string[]> {
  let told: string[] = []
  const look = async (): Promise<boolean> => {
    const rows = await site.rows<{ text: string }>(
      `select name || ' ' || kind as text from cluster_event where kind <> 'suspected' order by pos`,
    )
    told = rows.map(({ text }) => text)
    return told.at(-1) === last
  }
  await until(`it is told that ${last}`, look, PATIENCE_MS).catch((error: Error) => {
    throw new Error(`${error.message}; told: ${told.join(', ')}`)
  })
  return told
}

it('an operator cordons, drains and brings back a node through any other', { timeout: 5 * PATIENCE_MS }, async () => {
  await using site = await ClusterSite.open()
  await using service = await SlowService.open()
  const a = await site.node('a', PATIENT_DRAIN)
  for (const document of [resting, calling, asking]) await a.publish(document)
  const b = await site.node('b')
  const rests = await a.start('resting', { input: { for: '20s' } })
  const calls = await a.start('calling', { input: { url: service.url } })
  await until('the call is under way', () => service.count > 0, PATIENCE_MS)
  const { id } = await b.node('a')

  await b.api('POST', `/cluster/nodes/${id}/drain`)
  await reaches(b, 'a', 'draining')
  expect((await a.ask('GET', '/health/ready')).body.checks[0].reason).toMatch(/drained the node/)
  expect((await a.ask('GET', '/health/ready')).status).toBe(503)
  // What rested is another's; what runs may end, and is written by the node that ran it.
  expect(await b.ended(rests)).toMatchObject({ status: 'completed', output: { done: true } })
  expect(await site.writers(rests)).toEqual(['a', 'b'])
  service.letGo()
  expect(await b.ended(calls)).toMatchObject({ status: 'completed', output: { done: true } })
  expect(service.count).toBe(1)
  await reaches(b, 'a', 'drained')
  expect((await b.node('a')).holds).toBe(0)
  // It answers all the same, and what it is asked to start runs elsewhere.
  const elsewhere = await a.start('resting', { input: { for: '1s' } })
  expect(await a.ended(elsewhere)).toMatchObject({ status: 'completed' })
  expect(await site.writers(elsewhere)).toEqual(['a', 'b'])

  await b.api('POST', `/cluster/nodes/${id}/uncordon`)
  await reaches(b, 'a', 'alive')
  expect((await a.ask('GET', '/health/ready')).status).toBe(200)
  await using command = new LockstepProcess(['cluster', 'cordon', 'b', '--url', a.url], { cwd: site.folder })
  expect(await command.finished()).toMatchObject({ code: 0, output: 'b takes nothing more\n' })
  await reaches(a, 'b', 'cordoned')
  expect((await b.ask('GET', '/health/ready')).status).toBe(200)
  const back = await b.start('resting', { input: { for: '1s' } })
  expect(await b.ended(back)).toMatchObject({ status: 'completed' })
  expect(await site.writers(back)).toEqual(['b', 'a'])
  // What is resumed through it is decided there, and goes on at the other.
  const asks = await a.start('asking')
  const waits = async () => (await b.api('GET', `/workflow-instances/${asks}`)).waitingFor.length === 1
  await until('it waits', waits, PATIENCE_MS)
  expect(await b.api('POST', `/workflow-instances/${asks}/resume`, { bookmark: 'go' })).toMatchObject({
    outcome: 'resumed',
  })
  expect(await b.ended(asks)).toMatchObject({ status: 'completed' })
  expect(await site.writers(asks)).toEqual(['a'])

  expect(await toldUntil(site, 'b cordoned')).toEqual([
    'a joined',
    'b joined',
    'a draining',
    'a drained',
    'a uncordoned',
    'b cordoned',
  ])
  const unknown = await a.ask('POST', '/api/v1/cluster/nodes/nod_00000000-0000-7000-8000-000000000000/drain')
  expect([unknown.status, unknown.body.code]).toEqual([404, 'NODE_NOT_FOUND'])
})

it('SIGTERM hands over and ends with 0, after the steps that run', { timeout: 4 * PATIENCE_MS }, async () => {
  await using site = await ClusterSite.open()
  await using service = await SlowService.open()
  const a = await site.node('a', PATIENT_DRAIN)
  await a.publish(resting)
  await a.publish(calling)
  const calls = await a.start('calling', { input: { url: service.url } })
  await until('the call is under way', () => service.count > 0, PATIENCE_MS)
  const b = await site.node('b')
  const rests = await Promise.all(Array.from({ length: 20 }, () => a.start('resting', { input: { for: '10s' } })))
  const over = a.process.end('SIGTERM')
  for (const id of rests) expect(await b.ended(id)).toMatchObject({ status: 'completed' })
  // It is there until its last step has ended.
  expect((await b.node('a')).state).toBe('draining')
  service.letGo()
  expect((await over).code).toBe(0)
  expect(await b.ended(calls)).toMatchObject({ status: 'completed' })
  expect([service.count, await b.node('a')]).toEqual([1, undefined])
  await toldUntil(site, 'a left')
})
