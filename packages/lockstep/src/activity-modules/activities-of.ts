import { InvalidOption } from '@lockstep/base'
import type { CustomActivity } from '@lockstep/engine'

/** Every activity that a module exports, alone or in a list. Other exports are its own business. */
export function activitiesOf(exported: unknown, file: string): readonly CustomActivity[] {
  const found = new Set<CustomActivity>()
  collect(exported, found, 3)
  if (found.size === 0)
    throw new InvalidOption({ option: file, rule: 'a module that exports activities made with defineActivity' })
  return [...found]
}

/** Modules stand inside one another where TypeScript becomes CommonJS: `default.default`. */
function collect(value: unknown, found: Set<CustomActivity>, depth: number): void {
  if (isActivity(value)) found.add(value)
  else if (typeof value === 'object' && value !== null && depth > 0)
    for (const member of Object.values(value)) collect(member, found, depth - 1)
}

export function isActivity(value: unknown): value is CustomActivity {
  if (typeof value !== 'object' || value === null) return false
  const { type, runs, run, inputs } = value as Partial<CustomActivity>
  const isRunnable = typeof run === 'function' && (runs === 'effect' || runs === 'transaction')
  return typeof type === 'string' && isRunnable && typeof inputs === 'object' && inputs !== null
}
