import type { Terminal } from './terminal.ts'

type Paint = (text: string) => string

/** Never colour alone: the word is always there. */
export function statusPaint({ colors }: Terminal, status: string): Paint {
  switch (status) {
    case 'completed':
    case 'alive':
    case 'fires':
    case 'resolved':
      return colors.green
    case 'running':
    case 'held':
    case 'started':
      return colors.blue
    case 'suspended':
    case 'compensating':
    case 'waiting':
      return colors.magenta
    case 'faulted':
    case 'quarantined':
    case 'stale':
    case 'open':
    case 'dropped':
      return colors.red
    case 'paused':
    case 'leaving':
    case 'cordoned':
    case 'draining':
    case 'drained':
    case 'excluded':
      return colors.yellow
    default:
      return colors.gray
  }
}
