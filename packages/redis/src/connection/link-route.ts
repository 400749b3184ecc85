import type { CommandRoute } from './commands.ts'
import type { Link } from './link.ts'

/** Commands over a connection of our own: one that is silent for too long is replaced. */
export function linkRoute(link: Link): CommandRoute {
  return {
    get connection() {
      return link.connection
    },
    get lastError() {
      return link.lastError
    },
    whenOpen: () => link.whenOpen(),
    onSilence: (_, cause) => link.connection && link.drop(link.connection, cause),
  }
}
