import { describe, expect, it } from 'vitest'
import type { GraphBody } from '../../api/wire.ts'
import { changeLines } from './change-lines.ts'
import type { Change } from './diff.ts'

const safe = { migration: 'safe', reason: '' } as const
const at = (id: string, x: number) => ({ id, type: 'log', name: `Step ${id}`, layout: { position: { x, y: 0 } } })
const graph = (...activities: object[]) => ({ activities }) as GraphBody
const same = { before: graph(at('a', 0), at('b', 0)), after: graph(at('a', 0), at('b', 0)) }
const way = (change: 'added' | 'removed', from: string, to: string, outcome = 'done'): Change => ({
  ...{ subject: 'connection', change, from, to, outcome },
  ...safe,
})

describe('lines of a diff', () => {
  it('say once that a way leads elsewhere now', () => {
    const lines = changeLines([way('removed', 'a', 'b'), way('added', 'a', 'c')], same)
    expect(lines.map(({ kind, title, detail }) => [kind, title, detail])).toEqual([
      ['rewired', 'Step a', 'led to Step b, now to c'],
    ])
    expect(changeLines([way('added', 'a', 'b', 'failed')], same)[0]).toMatchObject({
      title: 'Step a, when failed',
      detail: 'now leads to Step b',
    })
  })

  it('fold moves into one', () => {
    const after = graph(at('a', 5), at('b', 7), at('new', 0))
    expect(changeLines([], { ...same, after }).map(({ title }) => title)).toEqual(['2 steps moved'])
    expect(changeLines([], same)).toEqual([])
  })

  it('call a step by its name', () => {
    const added: Change = { subject: 'activity', change: 'added', id: 'b', activity: { type: 'log' }, ...safe }
    expect(changeLines([added], same)).toMatchObject([{ kind: 'added', title: 'Step b', detail: 'log', step: 'b' }])
  })
})
