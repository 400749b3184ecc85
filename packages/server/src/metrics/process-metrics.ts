/**
 * Processor, memory and event loop, under the names that dashboards for Node.js know. prom-client's own collection has gauges that end in
 * `_total`, and says `Nan`: tools that check metrics complain of both.
 */
import { type IntervalHistogram, monitorEventLoopDelay, performance } from 'node:perf_hooks'
import type { Clock } from '@lockstep/base'
import type { Registry } from 'prom-client'
import { expose, one } from './exposition.ts'
import { recently } from './recently.ts'

const RESOLUTION_MS = 20

type Gauge = (name: string, help: string, read: () => number) => void

export function exposeProcess(registry: Registry, clock: Pick<Clock, 'monotonic'>): void {
  const gauge: Gauge = (name, help, read) => expose(registry, 'gauge', name, help, () => one(read()))
  const counter = (name: string, help: string, read: () => number): void =>
    expose(registry, 'counter', name, help, () => one(read()))

  counter('process_cpu_user_seconds_total', 'User processor time.', () => process.cpuUsage().user / 1e6)
  counter('process_cpu_system_seconds_total', 'System processor time.', () => process.cpuUsage().system / 1e6)
  counter('process_cpu_seconds_total', 'Processor time.', () => {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1e6
  })
  gauge('process_start_time_seconds', 'When the process began, since 1970.', () => performance.timeOrigin / 1_000)
  gauge('process_resident_memory_bytes', 'Memory that the process has.', () => process.memoryUsage.rss())
  gauge('nodejs_heap_size_total_bytes', 'Heap that is there.', () => process.memoryUsage().heapTotal)
  gauge('nodejs_heap_size_used_bytes', 'Heap in use.', () => process.memoryUsage().heapUsed)
  gauge(
    'nodejs_external_memory_bytes',
    'Memory outside of the heap that objects have.',
    () => process.memoryUsage().external,
  )
  exposeLoop(clock, gauge)
}

function exposeLoop(clock: Pick<Clock, 'monotonic'>, gauge: Gauge): void {
  const lag = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  lag.enable()
  let loop = performance.eventLoopUtilization()
  const read = recently(
    clock,
    () => ({ ...lagOf(lag), busy: performance.eventLoopUtilization(loop).utilization || 0 }),
    () => {
      lag.reset()
      loop = performance.eventLoopUtilization()
    },
  )
  const of = 'of the worse one of this minute and the last'
  gauge('nodejs_eventloop_utilization_ratio', `Share of time that the event loop was busy, ${of}.`, () => read().busy)
  for (const name of ['mean', 'p50', 'p99', 'max'] as const)
    gauge(`nodejs_eventloop_lag_${name}_seconds`, `How late timers come: ${name} ${of}.`, () => read()[name])
}

/** What is measured includes the pause between two looks. */
function lagOf(lag: IntervalHistogram): Readonly<Record<'mean' | 'p50' | 'p99' | 'max', number>> {
  const seconds = (ns: number): number => (lag.count === 0 ? 0 : Math.max(0, ns / 1e9 - RESOLUTION_MS / 1_000))
  return {
    mean: seconds(lag.mean),
    p50: seconds(lag.percentile(50)),
    p99: seconds(lag.percentile(99)),
    max: seconds(lag.max),
  }
}
