import { canonicalJson, isJsonObject, type Json, type JsonObject } from '@lockstep/base'
import type { InlineResult } from '../activity-handler.ts'

const DEFAULT_WAY = 'default'

/** Whether a case of a switch fits. */
export function fitsCase(each: Json | undefined, value: Json | undefined): boolean {
  if (!isJsonObject(each)) return false
  return each.equals === undefined
    ? Boolean(each.condition)
    : canonicalJson(each.equals) === canonicalJson(value ?? null)
}

/** Whether the cases after one that fits are looked at as well. */
export const takesAll = ({ mode }: JsonObject): boolean => mode === 'all'

export function runSwitch(inputs: JsonObject): InlineResult {
  const cases = Array.isArray(inputs.cases) ? inputs.cases : []
  const fitting = cases.filter((each) => fitsCase(each, inputs.value)).map(({ outcome }) => String(outcome))
  const [outcome = DEFAULT_WAY] = fitting
  if (!takesAll(inputs) || fitting.length < 2) return { kind: 'completed', outcome }
  return { kind: 'completed', outcome, outcomes: [...new Set(fitting)] }
}
