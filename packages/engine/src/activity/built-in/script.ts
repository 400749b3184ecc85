import type { ActivityType } from '../activity-type.ts'
import { inputSchema, text } from '../input-schema.ts'

/** Room is left for what stands around it when it runs. */
const LONGEST = 60_000

export const scriptActivity: ActivityType = {
  type: 'script',
  kind: 'control',
  title: 'Script',
  description:
    'Runs statements of JavaScript, which see what expressions see. What they return is the output. `setVariable(name, value)` gives ' +
    'a variable a new value, `setOutcome(name)` chooses the way out.',
  inputs: inputSchema({ code: text('Statements. A literal: it cannot be an expression.', { maxLength: LONGEST }) }),
  outcomes: 'any',
  script: 'code',
}
