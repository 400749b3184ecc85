import type { GraphDocument } from '../api/wire.ts'
import { merged, type Shape, shapeOfSchema, shapeOfValue } from './shape.ts'
import { isInLoop, upstreamOf } from './upstream.ts'

export interface ScopeSources {
  readonly document: GraphDocument
  readonly step: string
  /** JSON schema of the output by activity type, where it is known. */
  readonly outputs?: ReadonlyMap<string, unknown> | undefined
  /** What a past run knew there: `input`, `vars`, `steps`. */
  readonly past?: unknown
}

const any: Shape = { type: 'any' }

/** What an expression of a step can name: as the document promises it, and as a past run had it. */
export function scopeShape({ document, step, outputs, past }: ScopeSources): Shape {
  const variables = Object.entries(document.variables ?? {}).map(([name, variable]) => [name, shapeOfSchema(variable)])
  const steps = upstreamOf(document, step).map(({ id, type, name }) => {
    const output = shapeOfSchema(outputs?.get(type))
    return [id, { type: 'object', note: name ?? type, title: name ?? id, members: { output } }] as const
  })
  const promised: Shape = {
    type: 'object',
    members: {
      input: { ...shapeOfSchema(document.input), note: 'What the workflow was started with' },
      vars: { type: 'object', note: 'Variables of the workflow', members: Object.fromEntries(variables) },
      steps: { type: 'object', note: 'What earlier steps answered', members: Object.fromEntries(steps) },
      correlationId: { type: 'string', note: 'Of this instance' },
      error: {
        type: 'object',
        note: 'What was caught',
        members: { code: { type: 'string' }, message: { type: 'string' } },
      },
      ...(isInLoop(document, step)
        ? { item: { ...any, note: 'The item of this turn' }, index: { type: 'number', note: 'Of this turn, from 0' } }
        : {}),
    },
  }
  if (past === undefined) return promised
  const had = shapeOfValue(past)
  const earlier = Object.entries(had.members?.steps?.members ?? {}).filter(
    ([id]) => promised.members?.steps?.members?.[id],
  )
  return merged(promised, {
    ...had,
    members: { ...had.members, steps: { type: 'object', members: Object.fromEntries(earlier) } },
  })
}
