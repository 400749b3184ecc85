import type { Member } from '@lockstep/coordination'
import { expect } from 'vitest'
import { type Bench, bench, LONG, newToken, PAST_SHORT, SHORT } from './bench.ts'
import { type ContractOptions, contract, type Example } from './contract.ts'
import type { OpenCoordination } from './harness.ts'

function member(name: string): Member {
  return { id: newToken(name), name: `${name} "ü"`, pid: 42, host: 'here' }
}

const byId = (members: readonly Member[]): Member[] => [...members].sort((one, two) => (one.id < two.id ? -1 : 1))

function memberExamples(example: Example<Bench>): void {
  example('knows who beats, on every provider', async ({ provider, harness }) => {
    const [one, two] = [member('one'), member('two')]
    expect(await provider.members.members()).toEqual([])
    const other = await harness.another()
    await provider.members.beat(one, LONG)
    await other.members.beat(two, LONG)
    expect(byId(await provider.members.members())).toEqual(byId([one, two]))
    expect(byId(await other.members.members())).toEqual(byId([one, two]))
  })

  example('counts a member once, however often it beats', async ({ provider }) => {
    const one = member('one')
    for (let i = 0; i < 3; i += 1) await provider.members.beat(one, LONG)
    expect(await provider.members.members()).toEqual([one])
  })

  example('forgets who stopped beating, and keeps the others', async ({ provider, harness }) => {
    const [dies, lives] = [member('dies'), member('lives')]
    await provider.members.beat(dies, SHORT)
    await provider.members.beat(lives, SHORT)
    await provider.members.beat(lives, LONG)
    await harness.elapse(PAST_SHORT)
    expect(await provider.members.members()).toEqual([lives])
    await provider.members.beat(dies, LONG)
    expect(byId(await provider.members.members())).toEqual(byId([dies, lives]))
  })

  example('forgets who left, once and for all', async ({ provider }) => {
    const [leaves, stays] = [member('leaves'), member('stays')]
    await provider.members.beat(leaves, LONG)
    await provider.members.beat(stays, LONG)
    await provider.members.leave(leaves.id)
    await provider.members.leave(leaves.id)
    await provider.members.leave('nobody')
    expect(await provider.members.members()).toEqual([stays])
  })

  example('keeps the members of two namespaces apart', async ({ provider, harness }) => {
    const other = await harness.another({ namespace: 'elsewhere' })
    const one = member('one')
    await provider.members.beat(one, LONG)
    await other.members.leave(one.id)
    expect(await other.members.members()).toEqual([])
    expect(await provider.members.members()).toEqual([one])
  })

  example('carries some hundred members', async ({ provider }) => {
    const all = Array.from({ length: 300 }, (_, i) => member(`m${i}`))
    await Promise.all(all.map((each) => provider.members.beat(each, LONG)))
    expect(byId(await provider.members.members())).toEqual(byId(all))
  })
}

/** What every store knows of those who take part. */
export function memberProviderContract(provider: string, open: OpenCoordination, options: ContractOptions = {}): void {
  contract<Bench>(`${provider}: member provider contract`, open, options, bench, { members: memberExamples })
}
