import { expect } from 'vitest'
import { type Bench, bench } from './bench.ts'
import { type ContractOptions, contract, type Example } from './contract.ts'
import type { OpenCoordination } from './harness.ts'

function healthExamples(example: Example<Bench>): void {
  example('says what it is, what time it has, and what it found', async ({ provider, harness }) => {
    const facts = await provider.health.probe()
    expect(facts.server).not.toBe('')
    expect(facts.version).not.toBe('')
    expect(facts.at).toBeGreaterThan(1_600_000_000_000)
    await harness.elapse(50)
    expect((await provider.health.probe()).at).toBeGreaterThan(facts.at)
    const checks = facts.findings.map((finding) => finding.check)
    expect(new Set(checks).size).toBe(checks.length)
    for (const { check, level, finding, fix } of facts.findings) {
      expect(check).toMatch(/^[a-z]+(-[a-z]+)*$/)
      expect(finding.length).toBeGreaterThan(5)
      if (level !== 'ok') expect(fix, `what to do about ${check}`).toEqual(expect.stringMatching(/\w/))
    }
  })

  example('finds nothing wrong that would make locks unsafe in a good store', async ({ provider }) => {
    const { findings } = await provider.health.probe()
    expect(findings.filter((finding) => finding.level === 'error')).toEqual([])
  })

  example('does not write, and does not get in the way of another probe', async ({ provider, harness }) => {
    const other = await harness.another()
    await Promise.all(Array.from({ length: 10 }, (_, i) => [provider, other][i % 2]!.health.probe()))
    expect(await provider.registry.list({ prefix: '', limit: 10 })).toEqual({ locks: [] })
  })

  example('says that the store is away when it is', async ({ provider, harness, until }) => {
    await harness.crash!()
    await expect(provider.health.probe()).rejects.toMatchObject({ code: 'PROVIDER_UNAVAILABLE' })
    await harness.restart!()
    await until('the store answers again', () =>
      provider.health.probe().then(
        () => true,
        () => false,
      ),
    )
  })
}

/** What every store says about itself. */
export function healthProviderContract(provider: string, open: OpenCoordination, options: ContractOptions = {}): void {
  contract<Bench>(`${provider}: health provider contract`, open, options, bench, { health: healthExamples })
}
