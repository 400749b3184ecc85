/** Steps that are not executed in tests, and what they answer instead, by id. */
export interface Pin {
  readonly output: unknown
  readonly outcome?: string
}

export type Pins = Readonly<Record<string, Pin>>

/** Those of steps that are still there. */
export const pinsOf = (pins: Pins, steps: ReadonlyMap<string, unknown>): Pins =>
  Object.fromEntries(Object.entries(pins).filter(([id]) => steps.has(id)))
