import { triggerInputs } from '../../schedule/trigger-inputs.ts'
import type { ActivityType } from '../activity-type.ts'

export const intervalActivity: ActivityType = {
  type: 'interval',
  kind: 'trigger',
  title: 'Interval',
  description: 'Starts the workflow every so often. Publishing makes a schedule of it, retracting takes it away.',
  inputs: triggerInputs('interval', 'anchor', 'zone'),
  outcomes: ['done'],
}
