import { abortable, linkedAbort, sleep, Trouble } from '@lockstep/base'
import type { LeaseKit } from '../lease/lease-kit.ts'
import type { LeaderInfo } from './election.ts'

interface Observed {
  readonly name: string
  readonly kit: LeaseKit
  readonly lookEveryMs: number
  leader(): Promise<LeaderInfo | undefined>
  /** Settles when this process has taken or left office: reason to look at once. */
  changed(): Promise<void>
}

/** Looks slowly and answers changes. A store that cannot be reached changes nothing: who led last is who is known. */
export async function* observeLeader(
  observed: Observed,
  signal: AbortSignal | undefined,
): AsyncGenerator<LeaderInfo | undefined, void> {
  const { kit } = observed
  using stop = linkedAbort(signal, kit.closing)
  let shown: { readonly term: bigint | undefined } | undefined
  const trouble = new Trouble(
    kit.logger,
    'election: cannot see who leads, will look again',
    'election: can see again who leads',
  )
  while (!stop.signal.aborted) {
    const changed = observed.changed()
    try {
      const leader = await abortable(observed.leader(), stop.signal)
      trouble.over({ election: observed.name })
      if (shown === undefined || shown.term !== leader?.term) {
        shown = { term: leader?.term }
        yield leader
      }
    } catch (error) {
      if (stop.signal.aborted) return
      trouble.failed(error, { election: observed.name })
    }
    using pause = linkedAbort(stop.signal)
    const waited = sleep(kit.clock, observed.lookEveryMs * (0.75 + kit.random.next() / 2), pause.signal)
    await Promise.race([waited, changed]).catch(() => {})
    pause.abort('looked')
    await waited.catch(() => {})
  }
}
