/** A child that a step with a compensation waits for when its branch is dropped: told to cancel, it may have completed before it hears of that. */
import type { JsonObject } from '@lockstep/base'
import { describe, expect, it } from 'vitest'
import { done, effect, SimulatedEngines } from './simulated-engine.fixture.ts'

type Document = JsonObject & { readonly id: string }

const nap = (id: string, ms: number) => ({ id, type: 'delay', inputs: { duration: `${ms}ms` } })
const undo = { compensate: { activities: [{ id: 'back', type: 'back' }] } }
const kid = { id: 'kid', type: 'run-workflow', inputs: { definitionId: 'child', input: null }, ...undo }
const kids = { id: 'kids', type: 'bulk-run', inputs: { definitionId: 'child', items: [1, 2] }, ...undo }
const race = (activity: object, ms: number, more: object = {}) => ({
  id: 'race',
  type: 'parallel',
  inputs: { join: 'any' },
  branches: [{ activities: [activity] }, { activities: [nap('nap', ms)] }],
  ...more,
})
const boom = { id: 'boom', type: 'fault', inputs: { message: 'no' } }
const childOf = (ms: number): Document => ({ id: 'child', activities: [nap('work', ms)] })
const parentOf = (first: object, then?: { readonly id: string }): Document =>
  ({
    id: 'parent',
    activities: then === undefined ? [first] : [first, then],
    connections: then === undefined ? [] : [{ from: 'race', to: then.id }],
  }) as unknown as Document

async function open(child: Document, parent: Document) {
  const engines = new SimulatedEngines()
  const undone: string[] = []
  const back = effect('back', async ({ of }, { step }) => {
    undone.push(of === undefined ? step : `${step} of ${JSON.stringify(of)}`)
    return done()
  })
  const boot = (name: string) => engines.boot(name, [back])
  const a = await boot('a')
  await engines.publish(a, child)
  await engines.publish(a, parent)
  return { engines, undone, boot, id: await engines.start(a, 'parent') }
}

const childrenIn = ({ sim }: SimulatedEngines) =>
  [...sim.store.inspect().instances.values()].filter(({ definitionId }) => definitionId === 'child')

/** How many children completed, and how often that was undone, over a range of moments at which both end. */
async function sweep(activity: object, then: { readonly id: string } | undefined, more: object = {}) {
  const found: { ms: number; won: boolean; completed: number; undone: number; status: string }[] = []
  for (let ms = 20; ms <= 60; ms += 1) {
    const { engines, undone, id } = await open(childOf(ms), parentOf(race(activity, 50, more), then))
    const { status } = await engines.end(engines.engine('a'), id)
    await engines.sim.run(5_000)
    const children = childrenIn(engines)
    expect(children.every(({ finishedAt }) => finishedAt !== undefined)).toBe(true)
    const completed = children.filter((each) => each.status === 'completed').length
    const won = !engines.facts(id).includes('completed race[1].nap done')
    found.push({ ms, won, completed, undone: undone.length, status })
    expect(engines.sim.check()).toEqual([])
  }
  return found
}

describe('a child of a dropped branch whose step can be undone', () => {
  it('is undone where it had completed before it was told, when all is undone later', async () => {
    const found = await sweep(kid, boom)
    for (const each of found) expect(each).toEqual({ ...each, status: 'faulted', undone: each.completed })
    expect(found.filter(({ won, completed }) => !won && completed > 0).length).toBeGreaterThan(0)
    expect(found.filter(({ completed }) => completed === 0).length).toBeGreaterThan(0)
  })

  it('is undone at once where nothing else is, like any step that was at work when its branch was dropped', async () => {
    const found = await sweep(kid, undefined)
    for (const each of found)
      expect(each).toEqual({ ...each, status: 'completed', undone: each.won ? 0 : each.completed })
    expect(found.filter(({ won, completed }) => !won && completed > 0).length).toBeGreaterThan(0)
  })

  it.each([kid, kids])('is undone with what its compensation reads: $type', async (activity) => {
    const reads = { of: { $expr: `[steps.pick.output, steps.${activity.id}.output !== null]` } }
    const reading = { ...activity, compensate: { activities: [{ id: 'back', type: 'back', inputs: reads }] } }
    const seen: string[] = []
    for (let ms = 20; ms <= 50; ms += 2) {
      const parent: Document = {
        id: 'parent',
        activities: [{ id: 'pick', type: 'transform', inputs: { value: 7 } }, race(reading, 50), boom],
        connections: [
          { from: 'pick', to: 'race' },
          { from: 'race', to: 'boom' },
        ],
      } as unknown as Document
      const { engines, undone, id } = await open(childOf(ms), parent)
      await engines.end(engines.engine('a'), id)
      if (engines.facts(id).includes('completed race[1].nap done')) seen.push(...undone)
    }
    expect(new Set(seen)).toEqual(new Set([`race[0].${activity.id}:undo.back of [7,true]`]))
  })

  it('is undone with others of a bulk run, where all of them had completed', async () => {
    const found = await sweep(kids, boom)
    for (const each of found) expect(each).toEqual({ ...each, undone: each.completed === 2 ? 1 : 0 })
    expect(found.filter(({ won, completed }) => !won && completed === 2).length).toBeGreaterThan(0)
  })

  it('is waited for beyond the time that its step has', async () => {
    const slow = { ...kid, timeout: '60ms' }
    // It undoes itself for two seconds.
    const mend = { activities: [nap('mend', 2_000)] }
    const child: Document = {
      id: 'child',
      activities: [{ id: 'act', type: 'log', inputs: { message: 'x' }, compensate: mend }, nap('work', 20_000)],
      connections: [{ from: 'act', to: 'work' }],
    }
    const { engines, undone, id } = await open(child, parentOf(race(slow, 50)))
    expect(await engines.end(engines.engine('a'), id)).toMatchObject({ status: 'completed' })
    expect(childrenIn(engines).map(({ status }) => status)).toEqual(['cancelled'])
    expect([undone, engines.facts(id).filter((fact) => fact === 'failed race[0].kid').length]).toEqual([[], 1])
  })

  it('is not started once more by a copy of its parent', async () => {
    const { engines, undone, id } = await open(childOf(20_000), parentOf(race(kid, 50)))
    const a = engines.engine('a')
    expect(await engines.end(a, id)).toMatchObject({ status: 'completed' })
    const at = engines.facts(id).indexOf('completed race[1].nap done') + 1
    const fork = await engines.drive(a.verbs.fork(id, { at }))
    const copy = fork.outcome === 'forked' ? fork.instanceId : ''
    expect(await engines.end(a, copy)).toMatchObject({ status: 'completed' })
    expect([childrenIn(engines).length, undone]).toEqual([1, []])
  })

  it('P1: is undone once whenever the node of its parent dies on the way', async () => {
    let late = 0
    for (let ms = 40; ms <= 52; ms += 1) {
      for (let atMs = 46; atMs <= 80; atMs += 3) {
        const { engines, undone, boot, id } = await open(childOf(ms), parentOf(race(kid, 50), boom))
        await engines.sim.run(atMs)
        engines.sim.crash('a')
        const b = await boot('b')
        const { status } = await engines.end(b, id)
        await engines.sim.run(5_000)
        const completed = childrenIn(engines).filter((each) => each.status === 'completed').length
        // An attempt whose node died may have been made: its key is the same then.
        const found = { ms, atMs, status, undone: new Set(undone).size }
        expect(found).toEqual({ ms, atMs, status: 'faulted', undone: completed })
        expect((await engines.drive(b.doctor())).findings).toEqual([])
        if (completed > 0 && engines.facts(id).includes('completed race[1].nap done')) late += 1
      }
    }
    expect(late).toBeGreaterThan(0)
  })
})
