import { InvalidOption } from '@lockstep/base'

export function oneOf<const T extends string>(value: string, option: string, allowed: readonly T[]): T {
  const found = allowed.find((each) => each === value)
  if (found === undefined) throw new InvalidOption({ option, rule: `one of ${allowed.join(', ')}`, value })
  return found
}

/** Off unless given. */
export function onOff(value: boolean | string | undefined, option: string): boolean {
  if (value === undefined || typeof value === 'boolean') return value ?? false
  return oneOf(value, option, ['on', 'off']) === 'on'
}
