import { expect } from 'vitest'
import { type Bench, inShare, LONG, PAST_SHORT, reader, SHORT, waiting, writer } from '../bench.ts'
import type { Example } from '../contract.ts'

export function readWriteExamples(example: Example<Bench>): void {
  example('lets readers in together and keeps writers out', async (b) => {
    const readers = [reader('page'), reader('page')]
    for (const each of readers) await b.take(each)
    expect((await b.ask(writer('page'))).status).toBe('busy')
    await b.release(readers[0]!)
    expect((await b.ask(writer('page'))).status).toBe('busy')
    await b.release(readers[1]!)
    await b.take(writer('page'))
  })

  example('keeps everybody out while one writes', async (b) => {
    const held = writer('page')
    await b.take(held)
    expect((await b.ask(reader('page'))).status).toBe('busy')
    expect((await b.ask(writer('page'))).status).toBe('busy')
    expect(await b.renew(held)).toBe('renewed')
    await b.release(held)
    await b.take(reader('page'))
  })

  example('answers a repeated acquire of a reader and of a writer with the same fence', async (b) => {
    const reads = reader('page')
    const fence = await b.take(reads)
    expect(await b.take(reads)).toBe(fence)
    await b.release(reads)
    const writes = writer('page')
    const second = await b.take(writes)
    expect(await b.take(writes)).toBe(second)
    expect((await b.ask(reader('page'))).status).toBe('busy')
  })

  example('does not let new readers past a writer that waits', async (b) => {
    const inbox = await b.inbox()
    const reads = reader('page')
    await b.take(reads)
    const writes = waiting(writer('page'), inbox)
    expect((await b.ask(writes)).status).toBe('queued')
    expect((await b.ask(reader('page'))).status).toBe('busy')
    expect(await b.ask(waiting(reader('page'), inbox))).toMatchObject({ status: 'queued', ahead: 1 })
    await b.release(reads)
    await inbox.granted(writes)
    expect(inbox.notices).toHaveLength(1)
  })

  example('lets all waiting readers in when a writer leaves, and the next writer after them', async (b) => {
    const inbox = await b.inbox()
    const first = writer('page')
    await b.take(first)
    const line = [reader('page'), writer('page'), reader('page'), reader('page')].map((each) => waiting(each, inbox))
    for (const each of line) expect((await b.ask(each)).status).toBe('queued')
    const [one, second, two, three] = line
    await b.release(first)
    for (const each of [one, two, three]) await inbox.granted(each!)
    const late = waiting(reader('page'), inbox)
    expect((await b.ask(late)).status).toBe('queued')
    for (const each of [one, two]) await b.release(each!)
    expect((await b.ask(second!)).status).toBe('queued')
    await b.release(three!)
    await inbox.granted(second!)
    await b.release(second!)
    await inbox.granted(late)
  })

  example('hands over from writer to writer when no reader waits', async (b) => {
    const inbox = await b.inbox()
    const first = writer('page')
    const fence = await b.take(first)
    const second = waiting(writer('page'), inbox)
    await b.ask(second)
    await b.release(first)
    expect((await inbox.granted(second)).fence).toBeGreaterThan(fence)
  })

  example('serves the writer with higher priority first', async (b) => {
    const inbox = await b.inbox()
    const reads = reader('page')
    await b.take(reads)
    const [low, high] = [waiting(writer('page'), inbox), waiting(writer('page'), inbox, { priority: 7 })]
    await b.ask(low)
    await b.ask(high)
    await b.release(reads)
    await inbox.granted(high)
    expect(inbox.notices).toHaveLength(1)
  })

  example('turns a writer into a reader in place', async (b) => {
    const held = writer('page')
    const fence = await b.take(held)
    expect(await b.take(inShare(held, { kind: 'read' }))).toBeGreaterThanOrEqual(fence)
    await b.take(reader('page'))
    expect((await b.ask(writer('page'))).status).toBe('busy')
    expect(await b.renew(held)).toBe('renewed')
    expect(await b.release(held)).toBe('released')
    expect(await b.release(held)).toBe('gone')
  })

  example('turns a writer into a reader although a writer waits, which then comes next', async (b) => {
    const inbox = await b.inbox()
    const held = writer('page')
    await b.take(held)
    const next = waiting(writer('page'), inbox)
    await b.ask(next)
    await b.take(inShare(held, { kind: 'read' }))
    expect((await b.ask(next)).status).toBe('queued')
    await b.release(held)
    await inbox.granted(next)
  })

  example('lets readers in that waited for a writer which became a reader', async (b) => {
    const inbox = await b.inbox()
    const held = writer('page')
    await b.take(held)
    const next = waiting(reader('page'), inbox)
    await b.ask(next)
    await b.take(inShare(held, { kind: 'read' }))
    expect((await b.ask(next)).status).toBe('granted')
  })

  example('turns the only reader into a writer', async (b) => {
    const held = reader('page')
    const fence = await b.take(held)
    const upgraded = await b.take(inShare(held, { kind: 'write' }))
    expect(upgraded).toBeGreaterThan(fence)
    expect((await b.ask(reader('page'))).status).toBe('busy')
    expect(await b.take(inShare(held, { kind: 'write' }))).toBe(upgraded)
    expect(await b.release(held)).toBe('released')
    await b.take(writer('page'))
  })

  example('turns the only reader into a writer past a writer that waits', async (b) => {
    const inbox = await b.inbox()
    const held = reader('page')
    await b.take(held)
    const next = waiting(writer('page'), inbox)
    await b.ask(next)
    await b.take(inShare(held, { kind: 'write' }))
    expect(inbox.notices).toEqual([])
    await b.release(held)
    await inbox.granted(next)
  })

  example('does not turn one of two readers into a writer, and leaves it a reader', async (b) => {
    const [held, other] = [reader('page'), reader('page')]
    await b.take(held)
    await b.take(other)
    expect((await b.ask(inShare(held, { kind: 'write' }))).status).toBe('busy')
    expect((await b.ask(inShare(other, { kind: 'write' }))).status).toBe('busy')
    expect(await b.renew(held)).toBe('renewed')
    await b.release(other)
    await b.take(inShare(held, { kind: 'write' }))
  })

  example('gives every reader a life of its own', async (b) => {
    const [dies, lives] = [reader('page', { ttlMs: SHORT }), reader('page', { ttlMs: SHORT })]
    await b.take(dies)
    await b.take(lives)
    expect(await b.renew(lives, LONG)).toBe('renewed')
    await b.harness.elapse(PAST_SHORT)
    expect(await b.renew(dies)).toBe('lost')
    expect((await b.ask(writer('page'))).status).toBe('busy')
    await b.take(inShare(lives, { kind: 'write' }))
  })

  example('lets a writer in when the last reader ended by itself', async (b) => {
    const inbox = await b.inbox()
    await b.take(reader('page', { ttlMs: SHORT }))
    const next = waiting(writer('page'), inbox)
    await b.ask(next)
    await b.harness.elapse(PAST_SHORT)
    expect((await b.ask(next)).status).toBe('granted')
  })

  example('lets readers in past a writer that stopped asking', async (b) => {
    const inbox = await b.inbox()
    await b.take(reader('page'))
    await b.ask(waiting(writer('page'), inbox, { aliveMs: SHORT }))
    await b.harness.elapse(PAST_SHORT)
    await b.take(reader('page'))
  })

  example('lets waiting readers in when the writer before them withdraws', async (b) => {
    const inbox = await b.inbox()
    await b.take(reader('page'))
    const [fickle, next] = [waiting(writer('page'), inbox), waiting(reader('page'), inbox)]
    await b.ask(fickle)
    expect((await b.ask(next)).status).toBe('queued')
    expect(await b.release(fickle)).toBe('released')
    await inbox.granted(next)
  })
}
