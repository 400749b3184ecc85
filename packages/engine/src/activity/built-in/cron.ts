import { triggerInputs } from '../../schedule/trigger-inputs.ts'
import type { ActivityType } from '../activity-type.ts'

export const cronActivity: ActivityType = {
  type: 'cron',
  kind: 'trigger',
  title: 'Cron',
  description:
    'Starts the workflow at times of the wall clock. Publishing makes a schedule of it, retracting takes it away.',
  inputs: triggerInputs('cron', 'zone'),
  outcomes: ['done'],
}
