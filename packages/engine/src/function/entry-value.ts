import type { Json } from '@lockstep/base'
import { StepFailed } from './errors.ts'
import type { MemoEntry } from './function-memo.ts'

/** What the code gets of a step that has ended: its output, or its failure thrown. */
export function entryValue(entry: MemoEntry): Json {
  if (entry.kind === 'completed') return entry.output
  const { step = '', code, message, data } = entry.error
  throw new StepFailed({ step, code, message, ...(data === undefined ? {} : { data }) })
}
