import { UsageError } from '../exit-codes.ts'

/** Of an option that may be said again. */
export const gather = (value: string, before: readonly string[] = []): readonly string[] => [...before, value]

export function pairOf(flag: string, text: string): [string, string] {
  const at = text.indexOf('=')
  if (at < 1) throw new UsageError({ text: `${flag} takes name=value, not "${text}"` })
  return [text.slice(0, at), text.slice(at + 1)]
}

/** Of `--map`. */
export const mappingOf = (map: readonly string[] | undefined): Record<string, string> | undefined =>
  map && Object.fromEntries(map.map((each) => pairOf('--map', each)))
