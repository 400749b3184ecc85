/** What was tested with last, per workflow, in this browser. */
export interface Pin {
  readonly output: unknown
  readonly outcome?: string
}

export type Pins = Readonly<Record<string, Pin>>

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

/** Those of steps that are still there. */
export const pinsOf = (pins: Pins, steps: ReadonlyMap<string, unknown>): Pins =>
  Object.fromEntries(Object.entries(pins).filter(([id]) => steps.has(id)))
