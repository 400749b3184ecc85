import { createElection } from './election/create-election.ts'
import type { Election } from './election/election.ts'
import type { ElectionOptions } from './election/election-options.ts'
import { Offices } from './election/offices.ts'
import { electionLock } from './election/standby-lock.ts'
import { createGuards } from './guard/create-guards.ts'
import type { Guards } from './guard/guards.ts'
import { checkHealth } from './health/check-health.ts'
import type { HealthReport } from './health/health-report.ts'
import type { LeaseKit } from './lease/lease-kit.ts'
import { heartbeat, type MemberOptions } from './member/heartbeat.ts'
import type { Member } from './member/member-provider.ts'
import { createMonitor, type MonitorOptions } from './monitor/create-monitor.ts'
import type { LockMonitor } from './monitor/lock-monitor.ts'
import { traceLeases } from './trace/trace-leases.ts'
import type { Tracer } from './trace/tracer.ts'

/** What a coordinator offers besides locks. */
export interface Services extends Guards {
  election(name: string, options?: ElectionOptions): Election
  readonly monitor: LockMonitor
  /** How this process and its store are. Never throws; every finding comes with what to do about it. */
  health(): Promise<HealthReport>
  /** The coordinators that live now, by the store's clock. */
  members(): Promise<readonly Member[]>
}

export interface ServiceOptions extends MemberOptions {
  /**
   * How statistics and events are kept. They cost about a microsecond per lease; `false` keeps none before `monitor` is first
   * used. @default from the start
   */
  readonly monitor?: MonitorOptions | false
  /** An OpenTelemetry tracer: spans for asking and holding. @default none */
  readonly tracer?: Tracer
}

/** The services of one coordinator, and how they begin and end with it. */
export interface RunningServices {
  readonly services: Services
  /** Ends the beat. To be awaited before the provider is closed. */
  stop(): Promise<void>
}

/** Begins to beat at once: whoever holds a lease must be seen to live. */
export function startServices(kit: LeaseKit, options: ServiceOptions = {}): RunningServices {
  const offices = new Offices()
  const beat = heartbeat(kit, options)
  let monitor = options.monitor === false ? undefined : createMonitor(kit, options.monitor)
  if (options.tracer !== undefined) kit.events.observe(traceLeases(options.tracer))
  beat.start()
  return {
    services: {
      ...createGuards(kit),
      election: (name, wanted) => createElection(kit, offices, { name, lockName: electionLock(name) }, wanted),
      get monitor() {
        monitor ??= createMonitor(kit)
        return monitor
      },
      health: () => checkHealth(kit),
      members: () => beat.list(),
    },
    stop: () => beat.stop(),
  }
}
