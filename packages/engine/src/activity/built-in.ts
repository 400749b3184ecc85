import { activityCatalogue } from './activity-catalogue.ts'
import type { ActivityCatalogue, ActivityType } from './activity-type.ts'
import { breakActivity } from './built-in/break.ts'
import { bulkRunActivity } from './built-in/bulk-run.ts'
import { compensateActivity } from './built-in/compensate.ts'
import { continueActivity } from './built-in/continue.ts'
import { correlateActivity } from './built-in/correlate.ts'
import { criticalSectionActivity } from './built-in/critical-section.ts'
import { cronActivity } from './built-in/cron.ts'
import { delayActivity } from './built-in/delay.ts'
import { eventActivity } from './built-in/event.ts'
import { faultActivity } from './built-in/fault.ts'
import { finishActivity } from './built-in/finish.ts'
import { forActivity } from './built-in/for.ts'
import { forEachActivity } from './built-in/for-each.ts'
import { httpEndpointActivity } from './built-in/http-endpoint.ts'
import { httpResponseActivity } from './built-in/http-response.ts'
import { humanTaskActivity } from './built-in/human-task.ts'
import { ifActivity } from './built-in/if.ts'
import { intervalActivity } from './built-in/interval.ts'
import { logActivity } from './built-in/log.ts'
import { parallelActivity } from './built-in/parallel.ts'
import { publishEventActivity } from './built-in/publish-event.ts'
import { runTaskActivity } from './built-in/run-task.ts'
import { runWorkflowActivity } from './built-in/run-workflow.ts'
import { scriptActivity } from './built-in/script.ts'
import { setOutputActivity } from './built-in/set-output.ts'
import { setVariableActivity } from './built-in/set-variable.ts'
import { switchActivity } from './built-in/switch.ts'
import { transformActivity } from './built-in/transform.ts'
import { tryActivity } from './built-in/try.ts'
import { waitForEventActivity } from './built-in/wait-for-event.ts'
import { waitUntilActivity } from './built-in/wait-until.ts'
import { whileActivity } from './built-in/while.ts'
import { outsideTypes } from './outside/outside-types.ts'
import { onItsShelf } from './palette.ts'

const all: readonly ActivityType[] = [
  ifActivity,
  switchActivity,
  delayActivity,
  waitUntilActivity,
  waitForEventActivity,
  publishEventActivity,
  logActivity,
  setVariableActivity,
  setOutputActivity,
  transformActivity,
  scriptActivity,
  correlateActivity,
  forEachActivity,
  forActivity,
  whileActivity,
  breakActivity,
  continueActivity,
  parallelActivity,
  tryActivity,
  criticalSectionActivity,
  compensateActivity,
  faultActivity,
  finishActivity,
  runWorkflowActivity,
  cronActivity,
  intervalActivity,
  eventActivity,
  httpEndpointActivity,
  httpResponseActivity,
  bulkRunActivity,
  runTaskActivity,
  humanTaskActivity,
  ...outsideTypes,
]

export const builtInActivities: readonly ActivityType[] = all.map(onItsShelf)

/** The built-in activities, and any that an application adds. */
export function builtInCatalogue(more: Iterable<ActivityType> = []): ActivityCatalogue {
  return activityCatalogue([...builtInActivities, ...more])
}
