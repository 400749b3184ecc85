export type ImportFormat = 'json' | 'yaml' | 'elsa'

/** What a text looks like: Elsa's exports name a root activity, ours a list of activities. */
export function formatOf(text: string): ImportFormat {
  if (!/^\s*[[{]/.test(text)) return 'yaml'
  return /"definitionId"\s*:/.test(text) && /"root"\s*:/.test(text) && !/^\s*\{\s*"activities"/.test(text)
    ? 'elsa'
    : 'json'
}
