import { Readable } from 'node:stream'
import type { Clock, Timer } from '@lockstep/base'
import type { PartialResults } from '@lockstep/engine'
import type { Waits } from '../wait/waits.ts'
import { toWirePart } from '../wire/part.ts'
import { toWireProgress } from '../wire/progress.ts'
import { commentText } from './event-text.ts'

export interface ResultStreamOptions {
  readonly results: PartialResults
  readonly tenant: string
  readonly instanceId: string
  /** Number of the last part that the reader has. */
  readonly after: number
  readonly waits: Waits
  readonly clock: Clock
  /** Whether the reader may still be told: keys are revoked, sessions end and roles change. Asked at every beat. */
  readonly mayStay: () => Promise<boolean>
}

const NOT_ALLOWED = 'no longer allowed'
const BEAT_MS = 15_000
/** Then the reader comes again. */
const LONGEST_MS = 300_000
/** For the last words to arrive. */
const LINGER_MS = 30_000
/** Each may have a quarter of a megabyte, and waits in memory for a reader who does not keep up. */
const PAGE = 20

/** What one instance hands out, as text. It is read as fast as it is taken, and ends when the instance does or the server stops. */
export function openResultStream(options: ResultStreamOptions): Readable {
  const over = new AbortController()
  const stream = Readable.from(textOf(options, over.signal))
  watchOver(stream, over, options)
  stream.once('close', () => over.abort())
  void options.waits.within(
    (signal) =>
      new Promise<void>((resolve) => {
        if (signal.aborted) over.abort()
        signal.addEventListener('abort', () => over.abort(), { once: true })
        over.signal.addEventListener('abort', () => resolve(), { once: true })
      }),
  )
  return stream
}

/** Lets go of who may not read any more, and cuts off who takes nothing: such a reader never comes to the end by himself. */
function watchOver(stream: Readable, over: AbortController, { clock, mayStay }: ResultStreamOptions): void {
  const until = clock.monotonic() + LONGEST_MS
  let timer: Timer | undefined
  const beat = (): void => {
    timer = clock.schedule(BEAT_MS, async () => {
      // A store that cannot tell is no reason to send anybody away: the next beat asks again.
      const isAllowed = await mayStay().catch(() => true)
      if (stream.destroyed) return
      if (!isAllowed) over.abort(NOT_ALLOWED)
      if (!isAllowed || clock.monotonic() >= until) timer = clock.schedule(LINGER_MS, () => stream.destroy())
      else beat()
    })
  }
  beat()
  stream.once('close', () => timer?.cancel())
}

async function* textOf(
  { results, tenant, instanceId, after, clock }: ResultStreamOptions,
  signal: AbortSignal,
): AsyncGenerator<string, void, void> {
  yield 'retry: 2000\n\n'
  const until = clock.monotonic() + LONGEST_MS
  const isBarred = (): boolean => signal.reason === NOT_ALLOWED
  for (let [last, spokeAt] = [after, 0]; !signal.aborted && clock.monotonic() < until; ) {
    const place = { tenant, after: last, spokeAfter: spokeAt, limit: PAGE, waitMs: BEAT_MS, signal }
    const { parts, progress, status, ended } = await results.read(instanceId, place)
    if (isBarred()) break
    for (const part of parts) {
      if (isBarred()) break
      yield eventText('part', toWirePart(part), part.number)
      last = part.number
    }
    if (progress.length > 0) yield eventText('progress', { items: progress.map(toWireProgress) })
    spokeAt = Math.max(spokeAt, ...progress.map((word) => word.at))
    if (ended && !isBarred()) {
      yield eventText('end', { status })
      return
    }
    if (parts.length === 0 && progress.length === 0) yield commentText('ping')
  }
  yield commentText(isBarred() ? NOT_ALLOWED : 'come again with Last-Event-ID')
}

const eventText = (name: string, data: object, id?: number): string =>
  `${id === undefined ? '' : `id: ${id}\n`}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`
