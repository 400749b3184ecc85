import type { QueryClient } from '@tanstack/react-query'
import { Problem } from '../api/problem.ts'
import { hostNow } from '../browser/time.ts'
import { useLive } from './live-state.ts'

/** Nobody there, or nobody who takes requests. */
const LOST: readonly number[] = [0, 502, 503]

/** Without a stream the answers themselves tell whether the server is there. */
export function watchAnswers(client: QueryClient): void {
  client.getQueryCache().subscribe((change) => {
    if (change.type !== 'updated') return
    const { mode, streaming, setMode, heard } = useLive.getState()
    if (change.action.type === 'success') {
      heard(hostNow())
      // While the stream is being opened nothing is known of it.
      if (mode === 'stale') setMode(streaming ? 'stream' : 'polling')
    }
    if (change.action.type !== 'error' && change.action.type !== 'failed') return
    const { error } = change.action
    // A store behind the server may be away while the server itself answers.
    const lost = error instanceof Problem && error.code !== 'PROVIDER_UNAVAILABLE' && LOST.includes(error.status)
    if (lost && mode !== 'stale') setMode('stale')
  })
}
