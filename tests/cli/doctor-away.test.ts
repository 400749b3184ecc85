/** The doctor of a node whose database is away: its list of checks, and not the failure of the first request. */
import { silentLogger, systemClock, systemRandom } from '@lockstep/base'
import { reset, startFaultProxy } from '@lockstep/testing/faults'
import { cloneDatabase } from '@lockstep/testing/harness'
import { resolveNodeOptions, startNode } from 'lockstep'
import { expect, inject, it } from 'vitest'
import { runIn } from './open-cli.ts'

const edge = { clock: systemClock, random: systemRandom, logger: silentLogger }

it('names the store among the checks, with what to do, and ends with 1', async () => {
  await using database = await cloneDatabase(inject('postgres'))
  await using proxy = await startFaultProxy({ target: database.url })
  const node = await startNode(resolveNodeOptions({ port: 0, databaseUrl: proxy.url(database.url) }), edge)
  const doctor = (...more: string[]) => runIn('.', {}, ['doctor', '--url', node.url, ...more])
  try {
    const well = await doctor()
    expect(well.out).toMatch(/^ok +store +The store answered after/m)
    expect(well.out).toMatch(/^ok +work +1 node takes work/m)
    const fault = proxy.use(reset({ newConnections: true }))
    const away = await doctor()
    expect([away.code, away.err]).toEqual([1, expect.stringContaining('not fit: store')])
    expect(away.out).toMatch(/^ok +address +A node answers at/m)
    expect(away.out).toMatch(/^error +store +The store .*does not answer/m)
    expect(away.out).toContain('LOCKSTEP_DATABASE_URL')
    expect(away.out).not.toContain('Healthy')
    const { healthy, checks } = (await doctor('--json')).json
    expect([healthy, checks]).toEqual([false, expect.arrayContaining([expect.objectContaining({ check: 'store' })])])
    await fault.remove()
    await expect.poll(async () => (await doctor()).out, { timeout: 60_000 }).toMatch(/^Healthy/)
  } finally {
    await node.stop()
  }
})
