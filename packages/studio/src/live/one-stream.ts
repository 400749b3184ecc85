import { apiRoot } from '../browser/place.ts'
import { readStream } from './event-stream.ts'
import type { LiveMode } from './live-state.ts'
import type { StreamEvent } from './sse.ts'

type Message =
  | { readonly kind: 'event'; readonly event: StreamEvent }
  | { readonly kind: 'mode'; readonly mode: LiveMode }
  | { readonly kind: 'hello' }

/**
 * One stream per browser: of all tabs, the one that holds a lock reads it and tells the others. Browsers keep about six
 * connections per host, which eight tabs with a stream each would use up. Where the browser has no locks (plain HTTP from
 * elsewhere) every tab reads for itself.
 */
export function openOneStream(onEvent: (event: StreamEvent) => void, onMode: (mode: LiveMode) => void): void {
  const name = `lockstep-stream ${apiRoot}`
  const never = new AbortController().signal
  if (navigator.locks === undefined || typeof BroadcastChannel === 'undefined') {
    void readStream({ event: onEvent, mode: onMode }, never)
    return
  }
  const channel = new BroadcastChannel(name)
  let leads = false
  let mode: LiveMode = 'connecting'
  const tell = (message: Message): void => channel.postMessage(message)
  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    if (data.kind === 'hello' && leads) tell({ kind: 'mode', mode })
    if (leads) return
    if (data.kind === 'event') onEvent(data.event)
    if (data.kind === 'mode') onMode(data.mode)
  }
  tell({ kind: 'hello' })
  void navigator.locks.request(name, () => {
    leads = true
    return readStream(
      {
        event(event) {
          tell({ kind: 'event', event })
          onEvent(event)
        },
        mode(next) {
          mode = next
          tell({ kind: 'mode', mode })
          onMode(mode)
        },
      },
      never,
    )
  })
}
