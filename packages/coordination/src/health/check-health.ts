import { errorMessage } from '@lockstep/base'
import type { LeaseKit } from '../lease/lease-kit.ts'
import type { Finding, HealthFacts } from './health-provider.ts'
import type { HealthReport } from './health-report.ts'
import { clockFinding, roundTripFinding, stallFinding } from './own-findings.ts'

const PROBES = 3

/** Asks the store a few times and adds what only this side can see. Never throws: a store out of reach is a finding. */
export async function checkHealth(kit: Pick<LeaseKit, 'provider' | 'clock' | 'ttlMs'>): Promise<HealthReport> {
  const { provider } = kit
  const about = { provider: provider.kind, grade: provider.grade }
  const lacks = provider.lacks.map(
    ({ capability, reason }): Finding => ({
      check: 'capability',
      level: 'ok',
      finding: `This store has no ${capability}: ${reason}`,
    }),
  )
  try {
    const probes: Probe[] = []
    for (let i = 0; i < PROBES; i += 1) probes.push(await probe(kit))
    const best = probes.reduce((a, b) => (b.tookMs < a.tookMs ? b : a))
    const roundTripMs = probes.map((each) => each.tookMs).sort((a, b) => a - b)[Math.floor(PROBES / 2)]!
    const { facts } = probes.at(-1)!
    const findings = [
      ...facts.findings,
      roundTripFinding(roundTripMs, kit.ttlMs),
      clockFinding(best.offsetMs, best.tookMs),
      stallFinding(await loopDelay(kit), kit.ttlMs),
      ...lacks,
    ]
    const { server, version } = facts
    const measured = { server, version, roundTripMs, clockOffsetMs: best.offsetMs }
    return { level: worst(findings), ...about, reachable: true, ...measured, findings }
  } catch (error) {
    const unreachable: Finding = {
      check: 'reachable',
      level: 'error',
      finding: `The store does not answer: ${errorMessage(error)}`,
      fix: 'Leases are refused until it does; those that are held end when their time is over. Bring the store back, or check address, credentials and network.',
    }
    return { level: 'error', ...about, reachable: false, findings: [unreachable, ...lacks] }
  }
}

interface Probe {
  readonly facts: HealthFacts
  readonly tookMs: number
  readonly offsetMs: number
}

async function probe({ provider, clock }: Pick<LeaseKit, 'provider' | 'clock'>): Promise<Probe> {
  const sentAt = clock.now()
  const from = clock.monotonic()
  const facts = await provider.health.probe()
  const tookMs = clock.monotonic() - from
  return { facts, tookMs, offsetMs: facts.at - (sentAt + tookMs / 2) }
}

/** How late a timer that is due at once comes. */
function loopDelay({ clock }: Pick<LeaseKit, 'clock'>): Promise<number> {
  const from = clock.monotonic()
  return new Promise((resolve) => {
    clock.schedule(0, () => resolve(clock.monotonic() - from), { keepAlive: true })
  })
}

const worst = (findings: readonly Finding[]): HealthReport['level'] => {
  if (findings.some((each) => each.level === 'error')) return 'error'
  return findings.some((each) => each.level === 'warning') ? 'warning' : 'ok'
}
