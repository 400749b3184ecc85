import { activityCatalogue } from './activity-catalogue.ts'
import type { ActivityCatalogue, ActivityType } from './activity-type.ts'
import { cronActivity } from './built-in/cron.ts'
import { delayActivity } from './built-in/delay.ts'
import { faultActivity } from './built-in/fault.ts'
import { forEachActivity } from './built-in/for-each.ts'
import { ifActivity } from './built-in/if.ts'
import { intervalActivity } from './built-in/interval.ts'
import { logActivity } from './built-in/log.ts'
import { parallelActivity } from './built-in/parallel.ts'
import { publishEventActivity } from './built-in/publish-event.ts'
import { runWorkflowActivity } from './built-in/run-workflow.ts'
import { setOutputActivity } from './built-in/set-output.ts'
import { setVariableActivity } from './built-in/set-variable.ts'
import { tryActivity } from './built-in/try.ts'
import { waitForEventActivity } from './built-in/wait-for-event.ts'
import { waitUntilActivity } from './built-in/wait-until.ts'

export const builtInActivities: readonly ActivityType[] = [
  ifActivity,
  delayActivity,
  waitUntilActivity,
  waitForEventActivity,
  publishEventActivity,
  logActivity,
  setVariableActivity,
  setOutputActivity,
  forEachActivity,
  parallelActivity,
  tryActivity,
  faultActivity,
  runWorkflowActivity,
  cronActivity,
  intervalActivity,
]

/** The built-in activities, and any that an application adds. */
export function builtInCatalogue(more: Iterable<ActivityType> = []): ActivityCatalogue {
  return activityCatalogue([...builtInActivities, ...more])
}
