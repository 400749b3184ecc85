import { describe, expect, it } from 'vitest'
import { resolveNodeOptions } from './node-options.ts'
import { readEnvironment } from './read-environment.ts'

describe('roles of a node', () => {
  const resolve = (roles?: unknown) => resolveNodeOptions({ roles } as never).roles

  it('are all unless told', () => {
    expect(resolve()).toEqual(['api', 'worker', 'scheduler'])
  })

  it('come as a text or a list, in any order', () => {
    expect([resolve('worker'), resolve('scheduler, api'), resolve(['worker', 'api'])]).toEqual([
      ['worker'],
      ['api', 'scheduler'],
      ['api', 'worker'],
    ])
    expect(resolveNodeOptions(readEnvironment({ LOCKSTEP_ROLES: 'api' })).roles).toEqual(['api'])
  })

  it.each([['wroker'], ['api,boss'], [[]], [' , '], [['api', 7]], [{ api: true }]])('refuse %j', (roles) => {
    expect(() => resolve(roles)).toThrow(/"roles" must be one or more of api, worker, scheduler/)
  })

  it('name the one that is unknown', () => {
    expect(() => resolve('api,boss')).toThrow(/not "boss"/)
  })
})

describe('the mode of the scheduler', () => {
  it('is one of three', () => {
    const resolve = (scheduler: string) => resolveNodeOptions({ scheduler }).scheduler
    expect([resolve('cluster'), resolve('leader'), resolve('off')]).toEqual(['cluster', 'leader', 'off'])
    expect(() => resolve('sometimes')).toThrow(/"scheduler" must be one of cluster, leader, off/)
  })
})
