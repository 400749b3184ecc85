/** On PostgreSQL: a run of a job that failed is sent back to work. */
import { all, job, onFailure } from '@lockstep/engine'
import { expect, it } from 'vitest'
import { openTestEngine } from '../engine/open-test-engine.ts'

it('a run that is retried is one that runs: the next ones meet it, and followers hear how it ends then', async () => {
  let isBroken = true
  const never = '0 0 1 1 *'
  const backup = job('backup', { cron: never, singleton: true }, async (ctx) => {
    await ctx.step('copy', () => {
      if (isBroken) throw new Error('the disk is full')
    })
    return ctx.waitFor('verified')
  })
  const said: string[] = []
  const tell = job('tell', { after: all('backup') }, async () => void said.push('told'))
  const alarm = job('alarm', { after: onFailure('backup') }, async () => void said.push('alarmed'))
  await using t = await openTestEngine({ jobs: [backup, tell, alarm] })
  const run = async () => (await t.engine.schedules.runs('backup'))[0]!
  const first = await t.engine.jobs.run('backup')
  if (first.outcome !== 'started') throw new Error(`it was ${first.outcome}`)
  const { instanceId: id } = first
  await expect.poll(() => run().then(({ status }) => status)).toBe('faulted')
  await expect.poll(() => said).toEqual(['alarmed'])

  isBroken = false
  expect(await t.engine.verbs.retry(id)).toEqual({ outcome: 'accepted' })
  await t.rests(id, 'suspended')
  expect(await run()).toMatchObject({ state: 'started', status: undefined, endedAt: undefined })
  expect(await t.engine.jobs.run('backup')).toMatchObject({ outcome: 'skipped', reason: 'overlap' })

  await t.engine.resume({ instanceId: id, bookmark: 'verified' })
  await expect.poll(() => said).toEqual(['alarmed', 'told'])
  const runs = await t.engine.schedules.runs('backup')
  expect(runs.find(({ instanceId }) => instanceId === id)).toMatchObject({ status: 'completed' })
  expect(await t.engine.jobs.run('backup')).toMatchObject({ outcome: 'started' })
  expect((await t.engine.doctor()).findings).toEqual([])
})
