import type { Timer } from '@lockstep/base'
import type { LeaseKit } from '../lease/lease-kit.ts'
import type { ActiveTerm } from './active-term.ts'
import type { ResolvedElectionOptions } from './election-options.ts'

interface Gate {
  readonly kit: LeaseKit
  readonly options: ResolvedElectionOptions
}

export async function enoughMembers({ kit, options }: Gate): Promise<boolean> {
  if (options.minMembers <= 1) return true
  return (await kit.provider.members.members()).length >= options.minMembers
}

/**
 * Ends the term when fewer members than asked for live. A count that fails says nothing: a leader that cannot reach the
 * store loses its lease anyway.
 */
export function watchMembers(gate: Gate, term: ActiveTerm): Disposable {
  const { clock } = gate.kit
  let timer: Timer | undefined
  const look = async (): Promise<void> => {
    const enough = await enoughMembers(gate).catch(() => true)
    if (!enough) term.end('too-few-members')
    else arm()
  }
  const arm = (): void => {
    if (!term.signal.aborted) timer = clock.schedule(gate.options.lookEveryMs, () => void look())
  }
  if (gate.options.minMembers > 1) arm()
  return { [Symbol.dispose]: () => timer?.cancel() }
}
