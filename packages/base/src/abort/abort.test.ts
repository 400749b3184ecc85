import { describe, expect, it } from 'vitest'
import { abortable, deferred, LazyAbort, linkedAbort, sleep, systemClock, TimedOut, withTimeout } from '../index.ts'

describe('linkedAbort', () => {
  it('aborts with the reason of whichever source comes first, and not after it was disposed', () => {
    const first = new AbortController()
    const second = new AbortController()
    const linked = linkedAbort(first.signal, undefined, second.signal)
    second.abort('second')
    expect(linked.signal.reason).toBe('second')

    const alone = linkedAbort(first.signal)
    alone[Symbol.dispose]()
    first.abort('late')
    expect(alone.signal.aborted).toBe(false)
    expect(linkedAbort(first.signal).signal.reason).toBe('late')
  })
})

describe('LazyAbort', () => {
  it('remembers an abort until somebody asks for the signal', () => {
    const abort = new LazyAbort()
    abort.abort('why')
    abort.abort('again')
    expect(abort.signal.reason).toBe('why')
  })

  it('follows its parent until it is released', () => {
    const parent = new LazyAbort()
    const child = new LazyAbort(parent)
    const released = new LazyAbort(parent)
    expect([child.signal.aborted, released.signal.aborted]).toEqual([false, false])
    released.release()
    parent.abort('parent')
    expect(child.signal.reason).toBe('parent')
    expect(released.signal.aborted).toBe(false)
  })
})

describe('waiting', () => {
  it('gives up with TIMED_OUT, and passes on what came in time', async () => {
    await expect(withTimeout(systemClock, 1, 'the answer', new Promise(() => {}))).rejects.toSatisfy(TimedOut.is)
    await expect(withTimeout(systemClock, 60_000, 'the answer', Promise.resolve(42))).resolves.toBe(42)
  })

  it('rejects with the reason of the signal, before or while waiting', async () => {
    const controller = new AbortController()
    const waiting = sleep(systemClock, 60_000, controller.signal)
    const work = deferred<number>()
    const raced = abortable(work.promise, controller.signal)
    controller.abort('enough')
    await expect(waiting).rejects.toBe('enough')
    await expect(raced).rejects.toBe('enough')
    await expect(sleep(systemClock, 0, controller.signal)).rejects.toBe('enough')
    await expect(abortable(Promise.resolve(1), undefined)).resolves.toBe(1)
  })
})
