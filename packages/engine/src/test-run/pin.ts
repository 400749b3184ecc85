import type { Json } from '@lockstep/base'

/** What a step of a test run answers without being executed. */
export interface Pin {
  readonly output: Json
  /** The way it leaves by. @default 'done' */
  readonly outcome?: string
}

/** By activity id. */
export type Pins = Readonly<Record<string, Pin>>
