import { Readable } from 'node:stream'
import type { Clock } from '@lockstep/base'
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
}

const BEAT_MS = 15_000
/** Then the reader comes again, and shows again who he is. */
const LONGEST_MS = 300_000
const PAGE = 100

/** What one instance hands out, as text. It is read as fast as it is taken, and ends when the instance does or the server stops. */
export function openResultStream(options: ResultStreamOptions): Readable {
  const over = new AbortController()
  const stream = Readable.from(textOf(options, over.signal))
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

async function* textOf(
  { results, tenant, instanceId, after, clock }: ResultStreamOptions,
  signal: AbortSignal,
): AsyncGenerator<string, void, void> {
  yield 'retry: 2000\n\n'
  const until = clock.monotonic() + LONGEST_MS
  for (let [last, spokeAt] = [after, 0]; !signal.aborted && clock.monotonic() < until; ) {
    const place = { tenant, after: last, spokeAfter: spokeAt, limit: PAGE, waitMs: BEAT_MS, signal }
    const { parts, progress, status, ended } = await results.read(instanceId, place)
    for (const part of parts) {
      yield eventText('part', toWirePart(part), part.number)
      last = part.number
    }
    if (progress.length > 0) yield eventText('progress', { items: progress.map(toWireProgress) })
    spokeAt = Math.max(spokeAt, ...progress.map((word) => word.at))
    if (ended && parts.length < PAGE) {
      yield eventText('end', { status })
      return
    }
    if (parts.length === 0 && progress.length === 0) yield commentText('ping')
  }
  yield commentText('come again with Last-Event-ID')
}

const eventText = (name: string, data: object, id?: number): string =>
  `${id === undefined ? '' : `id: ${id}\n`}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`
