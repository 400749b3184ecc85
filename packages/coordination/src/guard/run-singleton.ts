import { errorMessage, linkedAbort, sleep } from '@lockstep/base'
import { createElection } from '../election/create-election.ts'
import type { Term } from '../election/election.ts'
import { Offices } from '../election/offices.ts'
import { singletonLock } from '../election/standby-lock.ts'
import type { LeaseKit } from '../lease/lease-kit.ts'
import type { Singleton, SingletonOptions, SingletonWork } from './guards.ts'

/** A singleton is an election whose leader does the work. Names and options are checked before it returns. */
export function runSingleton(
  kit: LeaseKit,
  name: string,
  work: SingletonWork,
  options: SingletonOptions = {},
): Singleton {
  kit.assertOpen(`singleton "${name}"`)
  const { signal, pauseMs = 1_000, ...rest } = options
  const election = createElection(kit, new Offices(), { name, lockName: singletonLock(name) }, { ...rest, pauseMs })
  const stop = linkedAbort(signal)
  let running = false

  const serve = async (term: Term): Promise<void> => {
    const run = { signal: term.signal, fence: term.fence, assertHeld: () => term.assertHeld() }
    running = true
    try {
      while (!term.signal.aborted) {
        await work(run)
        await sleep(kit.clock, pauseMs, term.signal).catch(() => {})
      }
    } finally {
      running = false
    }
  }

  const campaign = election
    .campaign({ signal: stop.signal, onElected: serve })
    .catch((error: unknown) => kit.logger.error('singleton: given up', { singleton: name, error: errorMessage(error) }))
    .finally(() => stop[Symbol.dispose]())

  const end = async (): Promise<void> => {
    stop.abort('stopped')
    await campaign
  }
  return {
    name,
    get running() {
      return running
    },
    stop: end,
    [Symbol.asyncDispose]: end,
  }
}
