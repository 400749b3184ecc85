import { onlineManager, type QueryClient } from '@tanstack/react-query'
import { Problem } from '../api/problem.ts'
import { after, hostNow } from '../browser/time.ts'
import { useLive } from './live-state.ts'
import { paced } from './paced.ts'

/** Nobody there, or nobody who takes requests. */
const LOST: readonly number[] = [0, 502, 503]
/** What was not answered is asked again when something else is answered, at most so often. */
const ASK_AGAIN_MS = 2_000

/**
 * The answers tell whether the server is there. It is lost for a page as long as anything that the page shows was asked for and not
 * answered: where one request is refused and the next one is not, going by the last of them would have the page change its mind, and
 * read everything anew, with every answer.
 */
export function watchAnswers(client: QueryClient): void {
  const unanswered = new Set<string>()
  const cache = client.getQueryCache()
  const isShown = (hash: string): boolean => cache.get(hash)?.isActive() === true
  const askAgain = paced(ASK_AGAIN_MS, after, () => {
    const predicate = ({ queryHash }: { readonly queryHash: string }): boolean => unanswered.has(queryHash)
    void client.refetchQueries({ type: 'active', predicate }, { cancelRefetch: false })
  })
  const show = (): void => {
    // Without a network nothing is asked, so that nothing is left unanswered either.
    const lost = unanswered.size > 0 || !onlineManager.isOnline()
    const live = useLive.getState()
    if (live.unanswered !== lost) live.setUnanswered(lost)
  }
  onlineManager.subscribe(show)
  cache.subscribe((change) => {
    const { queryHash } = change.query
    const answer = change.type === 'updated' ? outcomeOf(change.action) : undefined
    if (answer === 'lost') unanswered.add(queryHash)
    if (answer === 'came') unanswered.delete(queryHash)
    for (const hash of unanswered) if (!isShown(hash)) unanswered.delete(hash)
    if (answer === 'came') useLive.getState().setAnswered(hostNow())
    show()
    if (answer === 'came' && unanswered.size > 0) askAgain('unanswered')
  })
}

/** A refusal is an answer too, unless it comes from what stands before the server, or from one that is going. */
function outcomeOf(action: { readonly type: string; readonly error?: unknown }): 'came' | 'lost' | undefined {
  if (action.type === 'success') return 'came'
  if (action.type !== 'error' && action.type !== 'failed') return undefined
  const { error } = action
  if (!(error instanceof Problem)) return undefined
  // A store behind the server may be away while the server itself answers.
  return error.code !== 'PROVIDER_UNAVAILABLE' && LOST.includes(error.status) ? 'lost' : 'came'
}
