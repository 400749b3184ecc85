import { type LiveTopic, liveTopics } from '@lockstep/engine'
import { Forbidden } from '../auth/errors.ts'
import type { Permission } from '../auth/permissions.ts'
import { may, type Principal } from '../auth/principal.ts'
import type { StreamFilter } from './stream-filter.ts'

/** A stream tells nobody what they could not read otherwise. */
export const topicPermissions: Readonly<Record<LiveTopic, Permission>> = {
  instances: 'instances:read',
  definitions: 'definitions:read',
  incidents: 'incidents:read',
  schedules: 'schedules:read',
  cluster: 'cluster:read',
  locks: 'locks:read',
}

/** What a stream carries: the topics asked for, or else all that this one may hear. `undefined`: every topic there is. */
export function topicsFor(
  principal: Principal,
  asked: ReadonlySet<LiveTopic> | undefined,
): ReadonlySet<LiveTopic> | undefined {
  for (const topic of asked ?? [])
    if (!mayHear(principal, topic))
      throw new Forbidden({ who: principal.name, permission: `${topicPermissions[topic]} for the topic ${topic}` })
  if (asked !== undefined) return asked
  const heard = liveTopics.filter((topic) => mayHear(principal, topic))
  if (heard.length === 0)
    throw new Forbidden({ who: principal.name, permission: `one of ${Object.values(topicPermissions).join(', ')}` })
  return heard.length === liveTopics.length ? undefined : new Set(heard)
}

/** Whether somebody may still be told all of it. */
export const mayHearAll = (principal: Principal, { tenant, topics }: StreamFilter): boolean =>
  principal.tenant === tenant && [...(topics ?? liveTopics)].every((topic) => mayHear(principal, topic))

const mayHear = (principal: Principal, topic: LiveTopic): boolean => may(principal, topicPermissions[topic])
