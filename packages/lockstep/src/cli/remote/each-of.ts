import type { Body } from './api-client.ts'
import type { Session } from './remote-command.ts'

export interface DoneTo {
  /** A sentence for people. */
  readonly text: string
  readonly body: Body
}

/**
 * Does the same to several things, one after another. Who reads lines gets each as it is done. Who reads one document gets one list, at the end,
 * also when one of them fails: what was done before is done. A single thing is told as itself.
 */
export async function eachOf(
  session: Session,
  ids: readonly string[],
  act: (id: string) => Promise<DoneTo>,
): Promise<void> {
  const isOneDocument = ids.length > 1 && (session.output === 'json' || session.output === 'yaml')
  const done: Body[] = []
  try {
    for (const id of ids) {
      const { text, body } = await act(id)
      if (isOneDocument) done.push(body)
      else session.done(text, body)
    }
  } finally {
    if (isOneDocument) session.table(done, [], '')
  }
}
