import { address, readAnswer } from '../api/client.ts'
import { credential } from '../api/credential.ts'
import { sleep } from '../browser/time.ts'
import type { LiveMode } from './live-state.ts'
import { type StreamEvent, sseParser } from './sse.ts'

/** A server without a stream is asked again now and then: it may have been replaced by one that has. */
const NO_STREAM_MS = 60_000
const FIRST_WAIT_MS = 1_000
const LONGEST_WAIT_MS = 10_000
/** The server says something every 15 s; a line that is silent for longer is dead, whatever the browser thinks of it. */
const SILENCE_MS = 40_000

export interface StreamSink {
  event(event: StreamEvent): void
  mode(mode: LiveMode, why?: string): void
}

/** `none`: this server gives no stream. `lost`: it had one, or cannot be reached. `why` is a sentence. */
interface End {
  readonly outcome: 'none' | 'lost'
  readonly why: string
}

/** Reads the stream until `signal` aborts; goes on behind the last event it saw, or `after`, on whatever node answers. */
export async function readStream(sink: StreamSink, signal: AbortSignal, after: string): Promise<void> {
  let lastId = after
  let waitMs = FIRST_WAIT_MS
  const aborted = new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
  while (!signal.aborted) {
    const { outcome, why } = await readOnce(sink, signal, lastId, (id) => {
      lastId = id
      waitMs = FIRST_WAIT_MS
    })
    if (signal.aborted) return
    sink.mode(outcome === 'none' ? 'polling' : 'stale', why)
    await Promise.race([sleep(outcome === 'none' ? NO_STREAM_MS : waitMs), aborted, nextSignIn()])
    waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)
  }
}

/** Who has just signed in is not kept waiting for the next try. */
function nextSignIn(): Promise<void> {
  return new Promise((resolve) => {
    const stop = credential.watch(() => {
      if (credential.wanted()) return
      stop()
      resolve()
    })
  })
}

async function readOnce(
  sink: StreamSink,
  signal: AbortSignal,
  lastId: string,
  onId: (id: string) => void,
): Promise<End> {
  const silence = new AbortController()
  try {
    const response = await fetch(address('/streams/events'), {
      credentials: 'include',
      headers: {
        accept: 'text/event-stream',
        ...credential.headers(),
        ...(lastId === '' ? {} : { 'last-event-id': lastId }),
      },
      signal: AbortSignal.any([signal, silence.signal]),
    })
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true
    if (!response.ok || !isStream || response.body === null) return await refused(response)
    sink.mode('stream')
    const push = sseParser((event) => {
      if (event.id !== '') onId(event.id)
      sink.event(event)
    })
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
    for (;;) {
      const part = await Promise.race([reader.read(), sleep(SILENCE_MS).then(() => undefined)])
      if (part === undefined) silence.abort()
      if (part === undefined) return { outcome: 'lost', why: 'The live stream fell silent.' }
      if (part.done) return { outcome: 'lost', why: 'The live stream ended.' }
      push(part.value)
    }
  } catch {
    return { outcome: 'lost', why: 'The live stream broke off.' }
  }
}

async function refused(response: Response): Promise<End> {
  const outcome = response.status >= 500 ? 'lost' : 'none'
  if (response.ok)
    return { outcome, why: 'Something between here and the server answers in the place of the live stream.' }
  const { title } = (await readAnswer(response)) as { readonly title?: string }
  return { outcome, why: `The live stream was refused${title === undefined ? '' : `: ${title}`} (${response.status}).` }
}
