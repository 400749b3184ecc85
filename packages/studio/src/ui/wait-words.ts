/** What is waited for, in words: `event approved`, `task check-references`, `a person, at ask`. */
export function waitWords(kind: string, name: string): string {
  if (kind === 'human') return name === '' ? 'a person' : `a person, at ${name}`
  return `${kind} ${name}`.trim()
}
