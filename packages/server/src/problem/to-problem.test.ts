import { DraftChanged, InstanceNotFound, StartUnclear } from '@lockstep/engine'
import { describe, expect, it } from 'vitest'
import { errorStatus } from './error-status.ts'
import { AlreadyResumed } from './instance-errors.ts'
import { pathOf } from './problem-replies.ts'
import { problemType, toProblem } from './to-problem.ts'

describe('problems', () => {
  it('carry what programs act on', () => {
    expect(toProblem(new DraftChanged({ definitionId: 'a', revision: 4 }))).toMatchObject({
      status: 412,
      current: { etag: '"4"' },
    })
    expect(toProblem(new DraftChanged({ definitionId: 'a', revision: 4, updatedBy: 'ana' }))).toMatchObject({
      detail: expect.stringContaining('(it is at revision 4, saved by ana)'),
      current: { etag: '"4"', updatedBy: 'ana' },
    })
    expect(toProblem(new AlreadyResumed({ instanceId: 'wfi_1', bookmark: 'go' }))).toMatchObject({
      status: 409,
      outcome: 'already-resumed',
    })
  })

  it('name instances as the wire does', () => {
    const instanceId = '01900000-0000-7000-8000-000000000000'
    expect(toProblem(new InstanceNotFound({ instanceId })).detail).toBe(`No instance wfi_${instanceId} exists`)
  })

  it('name the instance whose start is unclear, and call it safe to repeat only with a key', () => {
    const instanceId = '01900000-0000-7000-8000-000000000000'
    const found = [true, false].map((keyed) => toProblem(new StartUnclear({ instanceId, keyed })))
    const detail = expect.stringContaining(`wfi_${instanceId}`)
    const unclear = { status: 503, code: 'START_UNCLEAR', instanceId: `wfi_${instanceId}`, detail }
    expect(found).toMatchObject([
      { ...unclear, retryable: true },
      { ...unclear, retryable: false },
    ])
  })

  it('say nothing of what went wrong inside', () => {
    for (const error of [
      new Error('password is hunter2'),
      Object.assign(new Error('hunter2'), { code: 'DATABASE_REFUSED' }),
      'hunter2',
      null,
      undefined,
    ]) {
      const problem = toProblem(error)
      expect(problem.status).toBe(500)
      expect(JSON.stringify(problem)).not.toContain('hunter2')
    }
  })

  it('do not take a code from the prototype of a table', () => {
    expect(toProblem(Object.assign(new Error(''), { code: 'constructor' })).code).toBe('INTERNAL')
  })

  it('have a type of their own for each code', () => {
    const types = Object.keys(errorStatus).map((code) => problemType(code as keyof typeof errorStatus))
    expect(new Set(types).size).toBe(types.length)
    for (const type of types) expect(type).toMatch(/^\/problems\/[a-z]+(-[a-z]+)*$/)
  })
})

describe('paths, as logs and answers repeat them', () => {
  const token = 'AbC-123_'.repeat(5)

  it.each([`rt_${token}`, `rt%5F${token}`, `%72%74%5f${token}`, `rt_${token.replace('A', '%41')}`])(
    'hold no token, however it is written: %s',
    (written) => {
      expect(pathOf(`/resume/${written}?x=1`)).toBe('/resume/rt_…')
    },
  )

  it('are else as they came', () => {
    expect(pathOf('/api/v1/start_all/a%2Fb?c=d')).toBe('/api/v1/start_all/a%2Fb')
  })
})
