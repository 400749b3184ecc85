import { type Clock, sleep, systemClock } from '@lockstep/base'
import { ServerProblem, ServerUnreachable } from './errors.ts'
import { type StreamEvent, sseParser } from './sse.ts'
import { type ClientOptions, problemOf, type Transport } from './transport.ts'

export interface FollowOptions {
  /** `instances`, `definitions`, `incidents`, `schedules`, `cluster`; several with commas. All unless told. */
  readonly topic?: string | undefined
  /** Only what concerns this instance. */
  readonly instance?: string | undefined
  /** Goes on behind the event with this id. Absent: with what happens from now on. */
  readonly after?: string | undefined
  /** `false`: ends when everything committed so far was told. @default true */
  readonly follow?: boolean
  readonly signal?: AbortSignal | undefined
}

/** `ready`: it begins here. `reset`: the place is not kept any more, read anew what you show. Else what happened. */
export interface LiveEvent {
  readonly id: string
  readonly event: string
  readonly data: Readonly<Record<string, unknown>>
}

/** The server says something every 15 s; a line that is silent for longer is dead. */
const SILENCE_MS = 40_000
const DEFAULT_RETRY_MS = 2_000

/** Events in the order of commits. A stream that breaks goes on behind the last one, on whatever node answers; only a refusal ends it. */
export async function* follow(
  { open, url }: Transport,
  { clock = systemClock, signal: whole }: ClientOptions,
  options: FollowOptions = {},
): AsyncGenerator<LiveEvent, void> {
  const { topic, instance, follow: forever = true, signal } = options
  const ended = (): boolean => whole?.aborted === true || signal?.aborted === true
  let lastId = options.after
  let retryMs = DEFAULT_RETRY_MS
  for (;;) {
    const silence = new AbortController()
    try {
      const response = await open('GET', '/streams/events', {
        query: { topic, instance, follow: forever ? undefined : false },
        headers: { accept: 'text/event-stream', ...(lastId === undefined ? {} : { 'last-event-id': lastId }) },
        signal: signal === undefined ? silence.signal : AbortSignal.any([signal, silence.signal]),
      })
      if (!response.ok) throw problemOf(response, await response.text(), url)
      const heard: StreamEvent[] = []
      const push = sseParser({
        event: (event) => heard.push(event),
        id: (id) => {
          lastId = id
        },
        retry: (ms) => {
          retryMs = ms
        },
      })
      for await (const text of textOf(response, silence, clock)) {
        push(text)
        for (const { id, event, data } of heard.splice(0)) yield { id, event, data: JSON.parse(data) }
      }
      if (!forever) return
    } catch (error) {
      if (ended()) return
      if (ServerProblem.is(error) && error.details.status < 500 && error.details.status !== 429) throw error
      if (!forever && ServerUnreachable.is(error)) throw error
    } finally {
      silence.abort()
    }
    await sleep(clock, retryMs, signal ?? whole).catch(() => undefined)
    if (ended()) return
  }
}

async function* textOf({ body }: Response, silence: AbortController, clock: Clock): AsyncGenerator<string> {
  if (body === null) return
  const decoder = new TextDecoder()
  const reader = body.getReader()
  for (;;) {
    const timer = clock.schedule(SILENCE_MS, () => silence.abort())
    const part = await reader.read().finally(() => timer.cancel())
    if (part.done) return
    yield decoder.decode(part.value, { stream: true })
  }
}
