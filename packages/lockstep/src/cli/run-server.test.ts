import { afterEach, describe, expect, it, vi } from 'vitest'
import { runServer } from './run-server.ts'

const SIGNALS = ['SIGINT', 'SIGTERM'] as const
const before = new Map(SIGNALS.map((signal) => [signal, process.listeners(signal)]))

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  for (const signal of SIGNALS)
    for (const listener of process.listeners(signal))
      if (!before.get(signal)!.includes(listener)) process.off(signal, listener)
})

describe('a server', () => {
  it.each(SIGNALS)('that waits for its database stops on %s, as one that runs does', async (signal) => {
    let output = ''
    for (const stream of [process.stdout, process.stderr])
      vi.spyOn(stream, 'write').mockImplementation((text) => {
        output += String(text)
        return true
      })
    const exit = new Promise((resolve) => {
      vi.spyOn(process, 'exit').mockImplementation((code) => {
        resolve(code)
        return new Promise(() => undefined) as never
      })
    })
    void runServer({ port: 0, databaseUrl: 'postgres://nobody@127.0.0.1:1/x' })
    await vi.waitUntil(() => output.includes('waiting for the database'), 10_000)
    vi.useFakeTimers({ toFake: ['setTimeout'] }) // the one that ends the process whatever hangs
    process.emit(signal)
    expect(await exit).toBe(0)
    expect(output).toContain('stopped')
  })
})
