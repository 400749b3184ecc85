import type { JsonObject } from '@lockstep/base'
import { type ActivityType, keepsSteps } from '../activity/activity-type.ts'
import { compileScript } from '../expression/expression.ts'
import type { GraphExpression } from './graph-expression.ts'

/** What an activity reads of the scope by other means than expressions: its script, and the step whose results it collects. */
export function readBesides(
  type: ActivityType,
  inputs: JsonObject = {},
): readonly Pick<GraphExpression, 'references'>[] {
  if (type.script !== undefined) {
    const code = inputs[type.script]
    return typeof code === 'string' ? [compileScript(code)] : []
  }
  const { collect } = inputs
  return keepsSteps(type) && typeof collect === 'string' ? [{ references: [`steps.${collect}`] }] : []
}
