/** What may be allowed, one verb each: reading is not running, running is not repairing. */
export const permissions = [
  'definitions:read',
  'definitions:write',
  'definitions:publish',
  'instances:read',
  'instances:start',
  'instances:resume',
  'instances:operate',
  'events:publish',
  'tasks:read',
  'tasks:work',
  'tasks:decide',
  'incidents:read',
  'incidents:resolve',
  'schedules:read',
  'schedules:operate',
  'schedules:write',
  'flow:read',
  'flow:operate',
  'flow:write',
  'locks:read',
  'locks:release',
  'cluster:read',
  'cluster:operate',
  'retention:read',
  'retention:write',
  'store:examine',
  'store:repair',
  'secrets:read',
  'secrets:manage',
  'keys:manage',
  'users:manage',
  'audit:read',
  'settings:read',
] as const

export type Permission = (typeof permissions)[number]

/**
 * What a route asks of its caller. `signed-in`: to be somebody. `public`: nothing, because the request carries what opens it (a token,
 * a password) or shows nothing of anybody. `as-published`: what the author of the workflow behind it wants, nothing or `instances:start`.
 */
export type RoutePermission = Permission | 'signed-in' | 'public' | 'as-published'

export const isPermission = (text: string): text is Permission => (permissions as readonly string[]).includes(text)
