import { InvalidOption } from '@lockstep/base'
import { type NodeRole, nodeRoles } from '@lockstep/engine'
import type { RawOptions } from './raw-options.ts'

/** What a node does. One that does nothing is a mistake. */
export function rolesOf(given: RawOptions['roles']): readonly NodeRole[] {
  if (given === undefined) return nodeRoles
  const asked: readonly unknown[] = typeof given === 'string' ? given.split(/[\s,]+/).filter(Boolean) : [given].flat()
  const unknown = asked.find((each) => !nodeRoles.some((role) => role === each))
  if (asked.length === 0 || unknown !== undefined) {
    const rule = `one or more of ${nodeRoles.join(', ')}, with commas between them`
    throw new InvalidOption({ option: 'roles', rule, value: unknown ?? given })
  }
  return nodeRoles.filter((role) => asked.includes(role))
}
