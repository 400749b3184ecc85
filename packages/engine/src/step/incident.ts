import { hashJson } from '@lockstep/base'
import type { Failure, StepKey } from '../journal/fact.ts'
import type { NewIncident } from '../store/commit-store.ts'

const LONGEST_MESSAGE = 2_000

/** Alike failures have one fingerprint, whichever run and turn of a loop they are from: `place` names the step without them. */
export function incident(id: string, definitionId: string, place: string, error: Failure): NewIncident {
  const { code, step, message } = error
  const fingerprint = hashJson([definitionId, place, code]).slice(0, 16)
  return { id, step, fingerprint, code, message: message.slice(0, LONGEST_MESSAGE) }
}

/** An at-most-once effect was announced and its owner died: nobody knows whether it happened. */
export function unclearOutcome(id: string, definitionId: string, place: string, step: StepKey): NewIncident {
  const message = `Step "${step}" runs at most once, and its owner died while it ran: it may or may not have happened. Resume "${step}" with its output once you know`
  return incident(id, definitionId, place, { code: 'OUTCOME_UNKNOWN', step, message })
}

/** A step's key without turns and repetitions. */
export function placeOf(step: StepKey): string {
  return step.replace(/\[\d+\]|#\d+/g, '')
}
