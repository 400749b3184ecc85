import type { Clock, Random } from '@lockstep/base'
import { CommitUnknown } from '@lockstep/engine/ports'
import { ConnectionLost } from './errors.ts'
import { drawJourney, type FaultProfile, type Journey } from './fault-profile.ts'
import type { NodeClock } from './virtual-clock.ts'

/** The way between one node and the database. */
export interface SimulatedLink {
  /** One call: travels there, happens in a single step, travels back. `step` may throw. */
  call<Answer>(name: string, writes: boolean, step: () => Answer): Promise<Answer>
  /** Cuts the link for ever: no answer arrives any more, and requests under way reach the database or do not. */
  cut(): void
}

export interface LinkOptions {
  /** Time as the database lives it: steps happen by it, whatever becomes of the caller. */
  readonly clock: Clock
  /** The caller's: a paused or stopped node gets no answers. */
  readonly caller: NodeClock
  readonly random: Random
  readonly profile: () => FaultProfile
  readonly onCall?: (call: { readonly name: string; readonly journey: Journey }) => void
}

type Outcome<Answer> = { readonly answer: Answer } | { readonly error: unknown }

export function simulatedLink({ clock, caller, random, profile, onCall }: LinkOptions): SimulatedLink {
  let isCut = false

  const call = <Answer>(name: string, writes: boolean, step: () => Answer): Promise<Answer> => {
    const journey = drawJourney(profile(), random, name)
    onCall?.({ name, journey })
    const { fate, thereMs, backMs } = journey
    return new Promise((resolve, reject) => {
      const answer = (afterMs: number, outcome: Outcome<Answer>): void => {
        const settle = (): void => ('error' in outcome ? reject(outcome.error) : resolve(outcome.answer))
        caller.schedule(afterMs, settle, { keepAlive: true })
      }
      const happen = (then: (outcome: Outcome<Answer>) => void): void => {
        const arrive = (): void => {
          if (isCut && random.next() < 0.5) return
          then(attempt(step))
        }
        clock.schedule(fate === 'late' ? thereMs + backMs : thereMs, arrive, { keepAlive: true })
      }
      const unknown = (): Error => lostAnswer(name, writes)
      if (fate === 'failed')
        answer(thereMs + backMs, { error: new ConnectionLost({ statement: name, reason: 'simulated' }) })
      else if (fate === 'lostRequest') answer(thereMs + backMs, { error: unknown() })
      else if (fate === 'lostAnswer') happen(() => answer(backMs, { error: unknown() }))
      else if (fate === 'late') {
        happen(() => {})
        answer(thereMs, { error: unknown() })
      } else happen((outcome) => answer(backMs, outcome))
    })
  }
  return {
    call,
    cut: () => {
      isCut = true
    },
  }
}

function attempt<Answer>(step: () => Answer): Outcome<Answer> {
  try {
    return { answer: step() }
  } catch (error) {
    return { error }
  }
}

function lostAnswer(statement: string, writes: boolean): Error {
  return writes
    ? new CommitUnknown({ statement, reason: 'simulated' })
    : new ConnectionLost({ statement, reason: 'simulated' })
}
