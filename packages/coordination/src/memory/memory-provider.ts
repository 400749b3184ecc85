import { type Clock, systemClock } from '@lockstep/base'
import type { CoordinationProvider } from '../coordination-provider.ts'
import type { HealthProvider } from '../health/health-provider.ts'
import type { MemberProvider } from '../member/member-provider.ts'
import { memoryLeases } from './memory-leases.ts'
import { memoryRegistry } from './memory-registry.ts'
import { type MemoryStore, memoryStore } from './memory-store.ts'
import { type MemoryTime, memoryTime } from './memory-time.ts'

export interface MemoryProviderOptions {
  /** @default the machine's own */
  readonly clock?: Clock
  /** Give several providers the same one, and they see each other's locks. @default a store of its own */
  readonly store?: MemoryStore
  /** Two namespaces of one store never meet. @default 'lockstep' */
  readonly namespace?: string
}

/** Everything in this process: for tests, for one node, and as the reference of what the other providers do. */
export function memoryProvider(options: MemoryProviderOptions = {}): CoordinationProvider {
  const { clock = systemClock, store = memoryStore(), namespace = 'lockstep' } = options
  const time = memoryTime(store.space(namespace), clock)
  return {
    kind: 'memory',
    grade: 'volatile',
    leases: memoryLeases(time),
    registry: memoryRegistry(time),
    members: memoryMembers(time),
    health: memoryHealth(time),
    lacks: [],
    close: async () => time.close(),
  }
}

function memoryMembers(time: MemoryTime): MemberProvider {
  const { members } = time.space
  return {
    async beat(member, ttlMs) {
      members.set(member.id, { member, expiresAt: time.enter() + ttlMs })
    },
    async leave(id) {
      time.enter()
      members.delete(id)
    },
    async members() {
      const at = time.enter()
      return [...members.values()].filter(({ expiresAt }) => expiresAt > at).map(({ member }) => member)
    },
  }
}

function memoryHealth(time: MemoryTime): HealthProvider {
  return {
    async probe() {
      return {
        at: time.enter(),
        server: 'memory',
        version: 'of this process',
        findings: [
          {
            check: 'persistence',
            level: 'ok',
            finding: 'Leases live in this process and end with it; no other process sees them.',
          },
        ],
      }
    },
  }
}
