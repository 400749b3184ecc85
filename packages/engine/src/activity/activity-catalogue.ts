import { defineError } from '@lockstep/base'
import type { ActivityCatalogue, ActivityType } from './activity-type.ts'

export const DuplicateActivityType = defineError(
  'DUPLICATE_ACTIVITY_TYPE',
  { retryable: false },
  (d: { type: string }) => `Two activities are called "${d.type}": rename one of them`,
)

export function activityCatalogue(types: Iterable<ActivityType>): ActivityCatalogue {
  const byType = new Map<string, ActivityType>()
  for (const type of types) {
    if (byType.has(type.type)) throw new DuplicateActivityType({ type: type.type })
    byType.set(type.type, type)
  }
  const sorted = [...byType.keys()].sort()
  return { get: (type) => byType.get(type), types: () => sorted }
}
