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

/** Retryable: the code that the document was published for may be installed on another node. */
export const EffectNotSupported = defineError(
  'EFFECT_NOT_SUPPORTED',
  { retryable: true },
  (d: { type: string; activity: string; effect: string }) =>
    `Activity "${d.activity}" asks for effect "${d.effect}", which the code of type "${d.type}" on this node does not have`,
)
