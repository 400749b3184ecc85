/**
 * One sweep: asks for instances whose time is over, hands them to the archive, deletes them, rests, and asks again until there are
 * none. Every call extends the turn and does nothing when the turn was lost, so two sweeps at once are harmless.
 */
import { abortable, type Clock, errorMessage, type Logger, sleep, type Timer } from '@lockstep/base'
import type { EngineStore } from '../store/engine-store.ts'
import type { ExpiredInstance, SweepRequest } from '../store/maintenance-store.ts'
import { archiveBatch } from './archive.ts'
import { firstPace, nextPace, type Pace, type PaceLimits, restMs, shareAfter } from './pace.ts'
import type { ResolvedRetention } from './retention-options.ts'

export const RETENTION = 'retention'

export interface SweepContext {
  readonly store: Pick<EngineStore, 'maintenance' | 'instances' | 'incidents'>
  readonly clock: Clock
  readonly logger: Logger
  readonly nodeId: string
  readonly options: ResolvedRetention
  /** Whether this node has more to do than it can: sweeping waits then. */
  readonly isPressed: () => boolean
  readonly signal: AbortSignal
}

export interface SweepReport {
  readonly instances: number
  readonly rows: number
  readonly events: number
  readonly flushes: number
  /** Those of the instances, and those that were resolved long ago. */
  readonly incidents: number
  /** `lost`: another node has the turn. `stuck`: what may go could not be deleted. `archive`: it failed, see `error`. */
  readonly ended: 'done' | 'lost' | 'stopped' | 'archive' | 'stuck'
  readonly error: string | undefined
}

/** After a crash another node goes on when this is over. */
export const TURN_MS = 30_000
/** Looking at an instance costs about as much as deleting a few rows of its journal. */
const ROWS_PER_LOOK = 4
const LEAST_LOOKS = 20
/** To find what may go costs as much as a small batch: it is done for a few of them. */
const BATCHES_PER_LOOK = 4
const TRIM_ROWS = 1_000
const INCIDENTS_MS = 30 * 86_400_000
/** Sessions that wait at one moment: a few are usual. */
const MOST_WAITING = 3
/** Batches left out in a row because others wait; the next one goes, small as it is by then: a busy store must not fill up for ever. */
const MOST_LEFT_OUT = 8
const MOST_IN_VAIN = 3

export async function sweep(context: SweepContext): Promise<SweepReport> {
  const { signal, clock } = context
  const { maintenance } = context.store
  const { rowsPerBatch, share, everyMs } = context.options
  const startedAt = clock.monotonic()
  const limitsNow = (): PaceLimits => ({
    mostRows: rowsPerBatch,
    share: shareAfter(share, clock.monotonic() - startedAt, everyMs),
  })
  const done = { instances: 0, rows: 0, events: 0, flushes: 0, incidents: 0 }
  const end = (ended: SweepReport['ended'], error?: unknown): SweepReport => ({
    ...done,
    ended,
    error: error === undefined ? undefined : errorMessage(error),
  })
  let pace: Pace = firstPace(limitsNow())
  /** Found and not deleted yet. */
  let found: readonly ExpiredInstance[] = []
  let waitingCount = 0
  let leftOut = 0
  let inVain = 0
  while (!signal.aborted) {
    if (found.length === 0) {
      const began = clock.monotonic()
      const looked = await maintenance.expired(requestOf(context, pace.rows * BATCHES_PER_LOOK))
      if (looked === undefined) return end('lost')
      if (looked.examined === 0) break
      found = looked.expired
      if (found.length === 0) {
        // Nothing is found while the rest of a long journal is to go.
        const purged = await maintenance.remove(requestOf(context, pace.rows), [])
        if (purged === undefined) return end('lost')
        done.rows += purged.rows
      }
      waitingCount = looked.waiting
      await rest(clock, restMs(clock.monotonic() - began, limitsNow()), signal)
      continue
    }
    const pressed = context.isPressed() || waitingCount > MOST_WAITING
    let tookMs = 0
    if (pressed && leftOut < MOST_LEFT_OUT) {
      leftOut += 1
      found = [] // the next look tells whether they still wait
    } else {
      leftOut = 0
      const batch = firstOf(found, pace.rows)
      found = pressed ? [] : found.slice(batch.length)
      const failed = await archived(context, batch)
      if (signal.aborted) break
      if (failed !== undefined) return end('archive', failed.error)
      const began = clock.monotonic()
      const ids = batch.map((each) => each.instanceId)
      const removed = await maintenance.remove(requestOf(context, pace.rows), ids)
      if (removed === undefined) return end('lost')
      tookMs = clock.monotonic() - began
      done.instances += removed.instances
      done.rows += removed.rows
      done.incidents += removed.incidents
      inVain = removed.instances + removed.rows === 0 ? inVain + 1 : 0
      if (inVain >= MOST_IN_VAIN) return end('stuck')
    }
    pace = nextPace(pace, { tookMs, pressed }, limitsNow())
    await rest(clock, pace.pauseMs, signal)
  }
  while (!signal.aborted) {
    const trimmed = await maintenance.trim(context.nodeId, TURN_MS, INCIDENTS_MS, TRIM_ROWS)
    if (trimmed === undefined) return end('lost')
    done.events += trimmed.events
    done.flushes += trimmed.flushes
    done.incidents += trimmed.incidents
    if (Math.max(trimmed.events, trimmed.flushes, trimmed.incidents) < TRIM_ROWS) return end('done')
    await rest(clock, pace.pauseMs, signal)
  }
  return end('stopped')
}

/** As many as have about so many rows together, and one at least. */
function firstOf(found: readonly ExpiredInstance[], rows: number): readonly ExpiredInstance[] {
  let count = 0
  for (let sum = 0; count < found.length && sum < rows; count += 1) sum += found[count]!.rows
  return found.slice(0, Math.max(1, count))
}

const requestOf = ({ nodeId, options }: SweepContext, rows: number): SweepRequest => ({
  nodeId,
  ttlMs: TURN_MS,
  keep: options.keep,
  limit: Math.max(LEAST_LOOKS, Math.ceil(rows / ROWS_PER_LOOK)),
  rows,
})

/** `undefined`: the archive has them, or there is none. The turn is extended meanwhile: an archive may take its time. */
async function archived(
  { store, options, clock, nodeId, signal }: SweepContext,
  batch: readonly ExpiredInstance[],
): Promise<{ readonly error: unknown } | undefined> {
  if (options.archive === undefined || batch.length === 0) return undefined
  let timer: Timer | undefined
  const extend = (): void => {
    timer = clock.schedule(TURN_MS / 3, () => {
      void store.maintenance.takeTurn(RETENTION, nodeId, TURN_MS, true).catch(() => undefined) // the next call says if it is lost
      extend()
    })
  }
  extend()
  try {
    // A stopping node does not wait for it; what it has read by then will come again.
    await abortable(archiveBatch(options.archive, store, batch), signal)
    return undefined
  } catch (error) {
    return { error }
  } finally {
    timer?.cancel()
  }
}

/** Ends early when the sweep is stopped. */
function rest(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return sleep(clock, ms, signal).catch(() => undefined)
}
