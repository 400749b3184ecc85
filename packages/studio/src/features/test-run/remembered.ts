/** What was tested with last, per workflow, in this browser. */
import type { Pins } from './pins.ts'
import { readCases, type TestCase } from './test-case.ts'

const inputKey = (id: string): string => `lockstep-test-input ${id}`
const pinsKey = (id: string): string => `lockstep-test-pins ${id}`

export const rememberedInput = (id: string): string | undefined => localStorage.getItem(inputKey(id)) ?? undefined
export const rememberInput = (id: string, text: string): void => localStorage.setItem(inputKey(id), text)

export function rememberedPins(id: string): Pins {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(pinsKey(id)) ?? '{}')
    return typeof found === 'object' && found !== null ? (found as Pins) : {}
  } catch {
    return {}
  }
}

export const rememberPins = (id: string, pins: Pins): void => localStorage.setItem(pinsKey(id), JSON.stringify(pins))

const casesKey = (id: string): string => `lockstep-test-cases ${id}`

export const rememberedCases = (id: string): readonly TestCase[] => readCases(localStorage.getItem(casesKey(id)))
export const rememberCases = (id: string, cases: readonly TestCase[]): void =>
  localStorage.setItem(casesKey(id), JSON.stringify(cases))
