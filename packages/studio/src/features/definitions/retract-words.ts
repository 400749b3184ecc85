import type { Consumer, Schedule, Version } from '../../api/wire.ts'

export const MOST_NAMED = 5

/** `12 of version 3 run now`; `10000+` where they were not counted to the end. */
export function runningText({ value, exact }: NonNullable<Version['pinned']>, version: number | null): string {
  return `${value.toLocaleString('en')}${exact ? '' : '+'} of version ${version} ${value === 1 && exact ? 'runs' : 'run'} now`
}

export function schedulesText(schedules: readonly Pick<Schedule, 'id' | 'name'>[]): string {
  if (schedules.length === 0) return 'No schedule starts it'
  return `Schedules that come to nothing: ${named(schedules)}`
}

/** Whose published version runs it is hit at once; others only while instances of an older version run, or when it is published again. */
export function consumersText(consumers: readonly Consumer[]): readonly string[] {
  const current = consumers.filter((each) => each.current)
  const older = consumers.filter((each) => !each.current)
  if (consumers.length === 0) return ['No drawn workflow runs it; functions do not say beforehand whom they run']
  return [
    ...(current.length === 0 ? [] : [`Workflows that run it, and fail at that step: ${named(current)}`]),
    ...(older.length === 0 ? [] : [`Only an older version runs it: ${named(older)}`]),
  ]
}

/** The first few by name. */
function named(all: readonly { readonly id: string; readonly name?: string | null }[]): string {
  const names = all.slice(0, MOST_NAMED).map(({ id, name }) => name ?? id)
  return `${names.join(', ')}${all.length > MOST_NAMED ? ' and more' : ''}`
}
