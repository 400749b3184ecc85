import type { CoordinationHarness } from '@lockstep/testing/contracts'
import type { CoordinationProvider } from '../src/index.ts'
import { memoryProvider } from '../src/memory/memory-provider.ts'
import { memoryStore } from '../src/memory/memory-store.ts'
import { flowingClock } from './flowing-clock.ts'

/** Providers on one store in memory, in virtual time. */
export async function openMemory(): Promise<CoordinationHarness> {
  const clock = flowingClock()
  const store = memoryStore()
  const opened: CoordinationProvider[] = []
  const openIn = (namespace: string): CoordinationProvider => {
    const provider = memoryProvider({ clock, store, namespace })
    opened.push(provider)
    return provider
  }
  return {
    provider: openIn('main'),
    clock,
    time: 'virtual',
    another: async ({ namespace = 'main' } = {}) => openIn(namespace),
    elapse: (ms) => clock.elapse(ms),
    close: async () => {
      for (const provider of opened) await provider.close()
      await clock.stop()
    },
  }
}
