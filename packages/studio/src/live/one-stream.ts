import { apiRoot } from '../browser/place.ts'
import { readStream, type StreamSink } from './event-stream.ts'
import type { LiveMode } from './live-state.ts'
import type { StreamEvent } from './sse.ts'

type Message =
  | { readonly kind: 'event'; readonly event: StreamEvent }
  | { readonly kind: 'mode'; readonly mode: LiveMode; readonly why: string | undefined }
  | { readonly kind: 'hello' }

export interface OneStream {
  /** This tab neither reads nor listens. The next one that does takes over. */
  pause(): void
  resume(): void
}

/**
 * One stream per browser: of all tabs, the one that holds a lock reads it and tells the others. Browsers keep about six
 * connections per host, which eight tabs with a stream each would use up. Where the browser has no locks (plain HTTP from
 * elsewhere) every tab reads for itself. Whoever takes over goes on behind the last event that was told.
 */
export function openOneStream(
  onEvent: (event: StreamEvent) => void,
  onMode: (mode: LiveMode, why?: string) => void,
): OneStream {
  const name = `lockstep-stream ${apiRoot}`
  const alone = navigator.locks === undefined || typeof BroadcastChannel === 'undefined'
  const channel = alone ? undefined : new BroadcastChannel(name)
  let leads = false
  let mode: LiveMode = 'connecting'
  let why: string | undefined
  let lastId = ''
  let listening = new AbortController()
  const tell = (message: Message): void => channel?.postMessage(message)
  const sink: StreamSink = {
    event(event) {
      tell({ kind: 'event', event })
      hear(event)
    },
    mode(next, reason) {
      mode = next
      why = reason
      tell({ kind: 'mode', mode, why })
      onMode(mode, why)
    },
  }
  const hear = (event: StreamEvent): void => {
    if (event.id !== '') lastId = event.id
    onEvent(event)
  }
  if (channel !== undefined)
    channel.onmessage = ({ data }: MessageEvent<Message>) => {
      if (data.kind === 'hello' && leads) tell({ kind: 'mode', mode, why })
      if (leads || listening.signal.aborted) return
      if (data.kind === 'event') hear(data.event)
      if (data.kind === 'mode') onMode(data.mode, data.why)
    }

  const begin = (): void => {
    listening = new AbortController()
    const { signal } = listening
    if (alone) {
      void readStream(sink, signal, lastId)
      return
    }
    tell({ kind: 'hello' })
    navigator.locks
      .request(name, { signal }, async () => {
        leads = true
        await readStream(sink, signal, lastId)
        leads = false
      })
      .catch(() => {}) // it was paused before its turn came
  }
  begin()
  return {
    pause: () => listening.abort(),
    resume: () => {
      lastId = '' // whoever resumes reads everything anew
      begin()
    },
  }
}
