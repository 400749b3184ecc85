/** The activity that a step key names: `loop[3].ask#2` is a run of `ask`. */
export function activityOf(key: string): string {
  const last = key.slice(key.lastIndexOf('.') + 1)
  return /^[^#[:]*/.exec(last)?.[0] ?? last
}

/** What stands before the activity: steps with the same one are in the same turn of the same loop. */
export const scopeOf = (key: string): string => key.slice(0, key.lastIndexOf('.') + 1)
