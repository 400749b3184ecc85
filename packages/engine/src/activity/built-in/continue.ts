import type { ActivityType } from '../activity-type.ts'
import { inputSchema } from '../input-schema.ts'

export const continueActivity: ActivityType = {
  type: 'continue',
  kind: 'control',
  title: 'Continue',
  description: 'Ends this turn of the nearest loop. Whatever else runs in the turn is cancelled; other turns go on.',
  inputs: inputSchema({}),
  outcomes: [],
  jump: 'continue',
}
