import { defineError } from '@lockstep/base'

/** The journal says something that the program cannot have done. Nothing was changed. */
export const InvalidFact = defineError(
  'INVALID_FACT',
  { retryable: false },
  (d: { kind: string; step?: string; reason: string }) =>
    `Fact "${d.kind}"${d.step === undefined ? '' : ` of step "${d.step}"`} cannot apply: ${d.reason}`,
)

/** Retryable: another node may have the activity installed. */
export const UnknownActivityType = defineError(
  'UNKNOWN_ACTIVITY_TYPE',
  { retryable: true },
  (d: { type: string; activity: string }) =>
    `Activity "${d.activity}" is of type "${d.type}", which is not installed here`,
)
