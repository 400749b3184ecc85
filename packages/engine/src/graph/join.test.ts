import { describe, expect, it } from 'vitest'
import { drive } from './fixtures/toy-driver.fixture.ts'
import { runToy, toyDocument, toyVerdict } from './fixtures/toy-shell.fixture.ts'
import { isFinished } from './verdict.ts'

const any = (id: string) => ({ id, type: 'task', join: 'any' as const })

describe('a join of all', () => {
  it('waits for every branch of a fork', () => {
    const { start, done } = drive(toyDocument(['a', 'b', 'c', 'd'], ['a -> b', 'a -> c', 'b -> d', 'c -> d']))
    expect(start()).toEqual(['a'])
    expect(done('a')).toEqual(['b', 'c'])
    expect(done('c')).toEqual([])
    expect(done('b')).toEqual(['d'])
  })

  it('does not wait for the way that an if did not take', () => {
    const condition = { id: 'big', type: 'if', inputs: { condition: { $expr: 'input > 10' } } }
    const document = toyDocument([condition, 'ask', 'log'], ['big -true-> ask', 'big -false-> log', 'ask -> log'])
    expect(runToy(document, 5).ran).toEqual(['big', 'log'])
    expect(runToy(document, 50).ran).toEqual(['big', 'ask', 'log'])
  })

  it('goes on when the last branch that could reach it ends elsewhere', () => {
    const { start, done } = drive(toyDocument(['a', 'b', 'c', 'd'], ['a -> d', 'b -> c', 'c -yes-> d']))
    expect(start()).toEqual(['a', 'b'])
    expect(done('a')).toEqual([])
    expect(done('b')).toEqual(['c'])
    expect(done('c', 'no')).toEqual(['d'])
  })

  it('waits for a join before it', () => {
    const edges = ['s -> j1', 't -> j1', 'j1 -> j2', 'u -> j2']
    const { start, done } = drive(toyDocument(['s', 't', 'u', 'j1', 'j2'], edges))
    start()
    expect(done('u')).toEqual([])
    expect(done('s')).toEqual([])
    expect(done('t')).toEqual(['j1'])
    expect(done('j1')).toEqual(['j2'])
  })

  it('runs again for each turn of a cycle, under a key of its own', () => {
    const { start, done, state } = drive(
      toyDocument(['s', 'a', 'b', 'e'], ['s -> a', 'a -> b', 'b -again-> a', 'b -> e']),
    )
    start()
    expect(done('s')).toEqual(['a'])
    expect(done('a')).toEqual(['b'])
    expect(done('b', 'again')).toEqual(['a#2'])
    expect(done('a#2')).toEqual(['b#2'])
    expect(done('b#2', 'again')).toEqual(['a#3'])
    expect(done('a#3')).toEqual(['b#3'])
    expect(done('b#3')).toEqual(['e'])
    expect(done('e')).toEqual([])
    expect(isFinished(state)).toBe(true)
  })

  it('may wait for itself to come round', () => {
    const { start, done, state } = drive(toyDocument(['s', 'a'], ['s -> a', 'a -again-> a']))
    start()
    done('s')
    expect(done('a', 'again')).toEqual(['a#2'])
    expect(done('a#2')).toEqual([])
    expect(isFinished(state)).toBe(true)
  })

  it('fires the earliest of joins that wait for each other on a cycle', () => {
    const edges = ['s -> p', 't -> q', 'p -> q', 'q -> p']
    const { start, done } = drive(toyDocument(['s', 't', 'p', 'q'], edges))
    start()
    expect(done('t')).toEqual([])
    expect(done('s')).toEqual(['q'])
  })

  it('does so although another branch that cannot reach them is still at work', () => {
    const edges = ['s -> p', 't -> q', 'p -> q', 'q -> p']
    const { start, done } = drive(toyDocument(['s', 't', 'p', 'q', 'unrelated'], edges))
    start()
    expect(done('s')).toEqual([])
    expect(done('t')).toEqual(['p'])
  })

  it('merges two tokens that circle together', () => {
    const edges = ['s -> a', 'a -> b', 'a -> c', 'b -again-> a', 'c -again-> a']
    const { start, done } = drive(toyDocument(['s', 'a', 'b', 'c'], edges))
    start()
    done('s')
    expect(done('a')).toEqual(['b', 'c'])
    expect(done('b', 'again')).toEqual([])
    expect(done('c', 'again')).toEqual(['a#2'])
  })

  it('holds for thousands of branches', () => {
    const ids = Array.from({ length: 2_000 }, (_, n) => `b${n}`)
    const run = runToy(
      toyDocument(['s', ...ids, 'j'], [...ids.map((id) => `s -> ${id}`), ...ids.map((id) => `${id} -> j`)]),
    )
    expect(run.ran).toHaveLength(2_002)
    expect(run.ran.at(-1)).toBe('j')
  })
})

describe('a join of any', () => {
  it('takes the first token and ends the later ones', () => {
    const { start, done, state } = drive(toyDocument(['a', 'b', any('j')], ['a -> j', 'b -> j']))
    expect(start()).toEqual(['a', 'b'])
    expect(done('b')).toEqual(['j'])
    expect(done('j')).toEqual([])
    expect(isFinished(state)).toBe(false)
    expect(done('a')).toEqual([])
    expect(isFinished(state)).toBe(true)
  })

  it('ends what follows from a branch that came too late', () => {
    const edges = ['a -> j', 'b -> c', 'b -> d', 'c -> j', 'd -> j', 'd -> e']
    const { start, done, state } = drive(toyDocument(['a', 'b', 'c', 'd', 'e', any('j')], edges))
    start()
    expect(done('a')).toEqual(['j'])
    expect(done('b')).toEqual(['c', 'd'])
    expect(done('c')).toEqual([])
    expect(done('d')).toEqual(['e'])
    done('e')
    done('j')
    expect(isFinished(state)).toBe(true)
  })

  it('counts branches that one outcome starts together as one race', () => {
    const { start, done } = drive(toyDocument(['a', 'b', any('j')], ['a -> j', 'a -> b', 'b -> j']))
    start()
    expect(done('a')).toEqual(['b', 'j'])
    expect(done('b')).toEqual([])
  })

  it('ends a loser that waits in another join', () => {
    const edges = ['a -> j', 'b -> k', 'c -> k', 'k -> j']
    const { start, done } = drive(toyDocument(['a', 'b', 'c', 'k', any('j')], edges))
    start()
    expect(done('b')).toEqual([])
    expect(done('a')).toEqual(['j'])
    expect(done('c')).toEqual(['k'])
    expect(done('k')).toEqual([])
  })

  it('runs each time a token comes round a cycle', () => {
    const { start, done, state } = drive(toyDocument(['s', any('a'), 'b'], ['s -> a', 'a -> b', 'b -again-> a']))
    start()
    expect(done('s')).toEqual(['a'])
    expect(done('a')).toEqual(['b'])
    expect(done('b', 'again')).toEqual(['a#2'])
    expect(done('a#2')).toEqual(['b#2'])
    done('b#2')
    expect(isFinished(state)).toBe(true)
  })

  it('keeps the cycle going when a late branch from outside is ended', () => {
    const edges = ['s -> a', 'late -> a', 'a -> b', 'b -again-> a']
    const { start, done } = drive(toyDocument(['s', 'late', any('a'), 'b'], edges))
    start()
    expect(done('s')).toEqual(['a'])
    expect(done('a')).toEqual(['b'])
    expect(done('late')).toEqual([])
    expect(done('b', 'again')).toEqual(['a#2'])
  })

  it('never lets two joins of one cycle end each other', () => {
    const edges = ['s -> j', 't -> k', 'j -> x', 'x -> k', 'k -> y', 'y -again-> j', 'y -> e']
    const { start, done } = drive(toyDocument(['s', 't', any('j'), 'x', any('k'), 'y', 'e'], edges))
    start()
    expect(done('s')).toEqual(['j'])
    expect(done('t')).toEqual(['k'])
    expect(done('j')).toEqual(['x'])
    expect(done('k')).toEqual(['y'])
    expect(done('x')).toEqual(['k#2'])
    // What came from t was late for j and ends there; what came from j goes on through k.
    expect(done('y', 'again')).toEqual([])
    expect(done('k#2')).toEqual(['y#2'])
    expect(done('y#2', 'again')).toEqual(['j#2'])
  })

  it('lets a merge of a late and another branch pass', () => {
    // b is late for j; but what comes back from j itself meets it in k.
    const edges = ['a -> j', 'b -> k', 'j -> k', 'k -again-> j', 'k -> e']
    const { start, done } = drive(toyDocument(['a', 'b', any('j'), 'k', 'e'], edges))
    start()
    expect(done('a')).toEqual(['j'])
    expect(done('j')).toEqual([])
    expect(done('b')).toEqual(['k'])
    expect(done('k', 'again')).toEqual(['j#2'])
  })

  it('lets it pass whichever of the two came first', () => {
    const edges = ['a -> j', 'b -> k', 'j -> k', 'k -again-> j', 'k -> e']
    const { start, done } = drive(toyDocument(['a', 'b', any('j'), 'k', 'e'], edges))
    start()
    expect(done('a')).toEqual(['j'])
    expect(done('b')).toEqual([])
    expect(done('j')).toEqual(['k'])
    expect(done('k', 'again')).toEqual(['j#2'])
  })
})

describe('the end of a graph', () => {
  it('comes when the last branch has ended', () => {
    const run = runToy(toyDocument(['a', 'b', 'c'], ['a -> c']))
    expect([...run.ran].sort()).toEqual(['a', 'b', 'c'])
    expect(toyVerdict(run)).toEqual({ status: 'completed', output: {} })
  })

  it('comes when an outcome leads nowhere', () => {
    const { start, done, state } = drive(toyDocument(['a', 'b'], ['a -yes-> b']))
    start()
    expect(done('a', 'no')).toEqual([])
    expect(isFinished(state)).toBe(true)
  })
})
