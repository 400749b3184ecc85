import { onlineManager, QueryClient, QueryObserver } from '@tanstack/react-query'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Problem } from '../api/problem.ts'
import { useLive } from './live-state.ts'
import { watchAnswers } from './watch-answers.ts'

const mode = (): string => useLive.getState().mode
const soon = (): Promise<unknown> => vi.advanceTimersByTimeAsync(1)

/** A page that shows what `names` stand for, each answered with its status. */
function opened(...names: readonly string[]) {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  watchAnswers(client)
  const status = new Map(names.map((name) => [name, 200]))
  const asked = new Map(names.map((name) => [name, 0]))
  const queryFn = async (name: string): Promise<string> => {
    asked.set(name, (asked.get(name) ?? 0) + 1)
    const now = status.get(name)!
    if (now !== 200) throw new Problem(now, { title: 'Not now' })
    return name
  }
  const leave = new Map(
    names.map((name) => {
      const observer = new QueryObserver(client, { queryKey: [name], queryFn: () => queryFn(name) })
      return [name, observer.subscribe(() => {})]
    }),
  )
  const ask = async (name: string): Promise<void> => {
    await client.refetchQueries({ queryKey: [name] })
    await soon()
  }
  return { ask, status, asked, leave: (name: string) => leave.get(name)!() }
}

describe('a page whose questions are answered or not', () => {
  beforeEach(() => {
    vi.useFakeTimers()
    useLive.setState(useLive.getInitialState())
    useLive.getState().setStream('stream')
  })
  afterEach(() => vi.useRealTimers())

  it('stays old while one of them is not answered, however often another one is', async () => {
    const { ask, status, asked } = opened('nodes', 'session')
    await soon()
    status.set('nodes', 503)
    await ask('nodes')
    expect(mode()).toBe('stale')
    const before = asked.get('nodes')!
    const modes = new Set<string>()
    for (let count = 0; count < 50; count += 1) {
      await ask('session')
      modes.add(mode())
    }
    expect([...modes]).toEqual(['stale'])
    // It is asked again, but not with every answer that something else gets.
    expect(asked.get('nodes')! - before).toBe(1)
  })

  it('is fresh again when something else is answered, and then this one too, without being asked', async () => {
    const { ask, status } = opened('keys', 'nodes')
    await soon()
    status.set('keys', 502)
    await ask('keys')
    status.set('keys', 200)
    await ask('nodes')
    await soon()
    expect(mode()).toBe('stream')
  })

  it('polls when it is answered again and the stream is not back', async () => {
    const { ask, status } = opened('nodes')
    await soon()
    useLive.getState().setStream('stale', 'The live stream ended.')
    expect(mode()).toBe('stale')
    status.set('nodes', 503)
    await ask('nodes')
    status.set('nodes', 200)
    await ask('nodes')
    expect(mode()).toBe('polling')
    useLive.getState().setStream('stale', 'The live stream broke off.')
    expect(mode()).toBe('polling')
    useLive.getState().setStream('stream')
    expect(mode()).toBe('stream')
  })

  it('is not made fresh by a stream that says once more that it is open', async () => {
    const { ask, status } = opened('nodes')
    await soon()
    status.set('nodes', 503)
    await ask('nodes')
    useLive.getState().setStream('stream')
    expect(mode()).toBe('stale')
  })

  it('does not miss what it shows no more, and takes a refusal for an answer', async () => {
    const { ask, status, leave } = opened('nodes', 'locks')
    await soon()
    status.set('nodes', 404)
    await ask('nodes')
    expect(mode()).toBe('stream')
    status.set('locks', 503)
    await ask('locks')
    expect(mode()).toBe('stale')
    leave('locks')
    await soon()
    expect(mode()).toBe('stream')
  })

  it('is old while the browser has no network, though nothing is asked then', async () => {
    opened('nodes')
    await soon()
    onlineManager.setOnline(false)
    expect(mode()).toBe('stale')
    onlineManager.setOnline(true)
    expect(mode()).toBe('stream')
  })
})
