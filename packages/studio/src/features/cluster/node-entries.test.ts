import { describe, expect, it } from 'vitest'
import type { ClusterNode, DevProcess } from '../../api/wire.ts'
import { nodeEntries, sparedBecause } from './node-entries.ts'

const node = (name: string, life = 1): ClusterNode => ({
  ...{
    id: `nod_${name}_${life}`,
    name,
    version: '1',
    state: 'alive',
    self: false,
    beatAt: null,
    silentMs: 0,
    holds: 0,
  },
  startedAt: `2026-01-0${life}T00:00:00Z`,
})
const running = (number: number): DevProcess => ({
  ...{ name: `node-${number}`, state: 'running', url: `http://127.0.0.1:440${number}` },
})
const dead = (number: number): DevProcess => ({ ...running(number), state: 'dead' })
const shown = (...given: Parameters<typeof nodeEntries>) =>
  nodeEntries(...given).map(({ key, process }) => [key, process?.state])

describe('the cards of the cluster', () => {
  it('are the nodes, where it is no dev cluster', () => {
    expect(shown({ items: [node('a'), node('b')] })).toEqual([
      ['nod_a_1', undefined],
      ['nod_b_1', undefined],
    ])
  })

  it('keep a place for a process that died, also when its node was buried', () => {
    const processes = [running(1), dead(2), running(3)]
    expect(shown({ items: [node('node-1'), node('node-2'), node('node-3')], processes })[1]).toEqual([
      'nod_node-2_1',
      'dead',
    ])
    expect(shown({ items: [node('node-1'), node('node-3')], processes })[1]).toEqual(['node-2', 'dead'])
  })

  it('give a revived process to its latest life', () => {
    expect(shown({ items: [node('node-1', 1), node('node-1', 2)], processes: [running(1)] })).toEqual([
      ['nod_node-1_1', undefined],
      ['nod_node-1_2', 'running'],
    ])
  })
})

describe('a process is spared', () => {
  it.each([
    ['while it is the only one that runs', [running(1), dead(2)], '4400', /No other node runs/],
    ['where the page comes from it', [running(1), running(2)], '4401', /comes from this node/],
  ])('%s', (_, processes, port, reason) => {
    expect(sparedBecause(processes[0]!, processes, port)).toMatch(reason)
  })

  it('not where others run and the page comes from the front', () => {
    expect(sparedBecause(running(1), [running(1), running(2)], '4400')).toBeUndefined()
  })
})
