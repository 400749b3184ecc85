import { systemClock } from '@lockstep/base'
import { describe, expect, it } from 'vitest'
import type { CoordinationProvider } from '../coordination-provider.ts'
import { ProviderUnavailable } from '../errors.ts'
import { memoryProvider } from '../memory/memory-provider.ts'
import { checkHealth } from './check-health.ts'
import type { HealthFacts } from './health-provider.ts'
import { clockFinding, roundTripFinding, stallFinding } from './own-findings.ts'

const withProbe = (probe: () => Promise<HealthFacts>): CoordinationProvider => ({
  ...memoryProvider({ clock: systemClock }),
  health: { probe },
})
const kit = (provider: CoordinationProvider) => ({ provider, clock: systemClock, ttlMs: 30_000 })

describe('health report', () => {
  it('says of the memory provider that all is well, with figures', async () => {
    const report = await checkHealth(kit(memoryProvider({ clock: systemClock })))
    expect(report).toMatchObject({ provider: 'memory', grade: 'volatile', reachable: true })
    expect(report.roundTripMs).toBeGreaterThanOrEqual(0)
    expect(report.findings.map((each) => each.check)).toEqual(
      expect.arrayContaining(['persistence', 'round-trip', 'clock-offset', 'event-loop']),
    )
  })

  it('makes a finding of a store that cannot be reached, and does not throw', async () => {
    const down = withProbe(() => Promise.reject(new ProviderUnavailable({ provider: 'redis', doing: 'probe' })))
    const report = await checkHealth(kit(down))
    expect(report).toMatchObject({
      level: 'error',
      reachable: false,
      findings: [{ check: 'reachable', level: 'error' }],
    })
    expect(report.findings[0]!.fix).toBeDefined()
  })

  it('is as bad as the worst that the store says of itself', async () => {
    const facts = { at: Date.now(), server: 'redis', version: '7.2' }
    const evicting = withProbe(async () => ({
      ...facts,
      findings: [{ check: 'eviction-policy', level: 'error', finding: 'allkeys-lru', fix: 'noeviction' }],
    }))
    expect((await checkHealth(kit(evicting))).level).toBe('error')
  })

  it('measures how far the clock of the store is off', async () => {
    const ahead = withProbe(async () => ({ at: Date.now() + 90_000, server: 'x', version: '1', findings: [] }))
    const report = await checkHealth(kit(ahead))
    expect(Math.round(report.clockOffsetMs! / 1_000)).toBe(90)
    expect(report.findings.find((each) => each.check === 'clock-offset')).toMatchObject({ level: 'warning' })
  })
})

describe('what this side finds', () => {
  it('has a fix for everything that is not well, and none for what is', () => {
    const good = [roundTripFinding(2, 30_000), clockFinding(-20, 2), stallFinding(3, 30_000)]
    const bad = [roundTripFinding(4_000, 30_000), clockFinding(-5_000, 2), stallFinding(5_000, 30_000)]
    expect(good.map((each) => [each.level, each.fix])).toEqual(good.map(() => ['ok', undefined]))
    for (const finding of bad) expect(finding).toMatchObject({ level: 'warning', fix: expect.any(String) })
    expect(roundTripFinding(20_000, 30_000).level).toBe('error')
  })

  it('judges by the life of the leases: 60 ms are much for a lease of 500 ms', () => {
    expect(roundTripFinding(60, 30_000).level).toBe('ok')
    expect(roundTripFinding(60, 500).level).toBe('warning')
    expect(roundTripFinding(200, 500).level).toBe('error')
  })
})
