import type { QueryClient } from '@tanstack/react-query'
import { Problem } from '../api/problem.ts'
import { hostNow } from '../browser/time.ts'
import { useLive } from './live-state.ts'

/** Without a stream the answers themselves tell whether the server is there. */
export function watchAnswers(client: QueryClient): void {
  client.getQueryCache().subscribe((change) => {
    if (change.type !== 'updated') return
    const { mode, streaming, setMode, heard } = useLive.getState()
    if (change.action.type === 'success') {
      heard(hostNow())
      if (mode === 'stale' || mode === 'connecting') setMode(streaming ? 'stream' : 'polling')
    }
    if (change.action.type !== 'error' && change.action.type !== 'failed') return
    const { error } = change.action
    const lost = error instanceof Problem && (error.status === 0 || error.status === 502 || error.status === 503)
    if (lost && mode !== 'stale') setMode('stale')
  })
}
