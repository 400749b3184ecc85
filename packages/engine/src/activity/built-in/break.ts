import type { ActivityType } from '../activity-type.ts'
import { inputSchema } from '../input-schema.ts'

export const breakActivity: ActivityType = {
  type: 'break',
  kind: 'control',
  title: 'Break',
  description: 'Leaves the nearest loop. Whatever else runs in it, other turns included, is cancelled.',
  inputs: inputSchema({}),
  outcomes: [],
  jump: 'break',
}
