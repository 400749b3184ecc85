import type { RawOptions } from '../options/raw-options.ts'

export interface ServerFlags extends RawOptions {
  readonly config?: string
}
