import type { Instance } from '../../api/wire.ts'
import { waitWords } from '../../ui/wait-words.ts'

const LONGEST = 80

/** Where it stands, in a few words: what went wrong, what it waits for, who has it, or what it came to. */
export function nowText(instance: Instance): string {
  const { error, incidents, waitingFor, status } = instance
  if (error !== null) return error.step ? `${error.step}: ${error.message}` : error.message
  if (incidents[0] !== undefined) return incidents[0].message
  const [wait] = waitingFor
  if (wait !== undefined) {
    const more = waitingFor.length > 1 ? ` and ${waitingFor.length - 1} more` : ''
    return `waits for ${waitWords(wait.kind, wait.name)}${more}`
  }
  switch (status) {
    case 'queued':
      return 'waits for a worker'
    case 'suspended':
      return 'waits for its time'
    case 'running':
      return 'at work'
    case 'paused':
      return 'until it is continued'
    case 'compensating':
      return 'undoes what it did'
    case 'completed':
      return resultText(instance.output)
    default:
      return ''
  }
}

function resultText(output: unknown): string {
  if (output === null || output === undefined) return ''
  const members = typeof output === 'object' && !Array.isArray(output) ? Object.entries(output) : undefined
  const text =
    members === undefined
      ? JSON.stringify(output)
      : members.map(([name, value]) => `${name}: ${JSON.stringify(value)}`).join(', ')
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text
}
