import { errorCode, errorMessage } from '@lockstep/base'
import { isStandbyLock } from '../election/standby-lock.ts'
import type { HolderInfo } from '../lease/lease.ts'
import type { LeaseEvent, LeaseObserver } from '../lease/lease-events.ts'
import { namePattern } from '../monitor/name-pattern.ts'
import { SPAN_ERROR, type Span, type SpanAttributes, type Tracer } from './tracer.ts'

/** Spans that never end would pile up (a lease that was detached tells no more): the oldest are ended for them. */
const MOST_OPEN = 10_000

export interface TraceOptions {
  /** In the spans' names, which must be few; the lock's full name is an attribute. @default ids replaced by `*` */
  readonly patternOf?: (name: string) => string
}

const holderOf = ({ holder }: { readonly holder?: HolderInfo }): SpanAttributes =>
  holder === undefined ? {} : { 'lock.holder': holder.node }

/**
 * Two spans for every lease: `lock.acquire <pattern>` from asking to the answer, `lock.hold <pattern>` from the grant to the
 * end. `asked` is told inside the caller's call, so that the first is a child of whatever span is active there.
 * Pass it to `coordinator.observe`.
 */
export function traceLeases(tracer: Tracer, options: TraceOptions = {}): LeaseObserver {
  const { patternOf = namePattern } = options
  const open = new Map<number, Span>()

  const start = (event: LeaseEvent, name: string, attributes: SpanAttributes): void => {
    const span = tracer.startSpan(`${name} ${patternOf(event.name)}`, {
      attributes: { 'lock.name': event.name, 'lock.kind': event.kind, ...attributes },
    })
    open.set(event.attempt, span)
    if (open.size <= MOST_OPEN) return
    const [oldest] = open
    oldest?.[1].end()
    if (oldest !== undefined) open.delete(oldest[0])
  }
  const end = (event: LeaseEvent, attributes: SpanAttributes, failure?: string): void => {
    const span = open.get(event.attempt)
    if (span === undefined) return
    open.delete(event.attempt)
    span.setAttributes(attributes)
    if (failure !== undefined) span.setStatus({ code: SPAN_ERROR, message: failure })
    span.end()
  }

  return (event) => {
    switch (event.type) {
      case 'asked':
        return start(event, 'lock.acquire', {})
      case 'granted': {
        const fence = { 'lock.fence': event.fence.toString() }
        end(event, {
          'lock.outcome': 'granted',
          'lock.wait_ms': event.waitedMs,
          'lock.contended': event.contended,
          ...fence,
        })
        return start(event, 'lock.hold', fence)
      }
      case 'refused':
        return end(event, { 'lock.outcome': 'refused', ...holderOf(event) })
      case 'timed-out':
        return end(
          event,
          { 'lock.outcome': 'timed-out', 'lock.wait_ms': event.waitedMs, ...holderOf(event) },
          isStandbyLock(event.name) ? undefined : 'not free in time',
        )
      case 'failed':
        return end(
          event,
          {
            'lock.outcome': 'failed',
            'lock.wait_ms': event.waitedMs,
            'error.type': errorCode(event.error) ?? 'unknown',
          },
          errorMessage(event.error),
        )
      case 'renewed-late':
        return void open.get(event.attempt)?.addEvent('renewed late', { 'lock.left_ms': event.leftMs })
      case 'released':
        return end(event, { 'lock.outcome': 'released', 'lock.hold_ms': event.heldMs })
      case 'lost':
        return end(
          event,
          { 'lock.outcome': 'lost', 'lock.hold_ms': event.heldMs, 'lock.lost_reason': event.reason },
          `lost: ${event.reason}`,
        )
    }
  }
}
