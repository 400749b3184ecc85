/** One thing a node needs in order to be of use, and whether it has it. */
export interface HealthCheck {
  readonly name: string
  readonly ok: boolean
  /** It can do without: it is slower, and still of use. */
  readonly degraded?: boolean
  /** What is wrong, in a sentence that any stranger may read; absent when all is well. */
  readonly reason?: string
}

/** What the node says of itself. `started` is asked once at boot, `ready` by every load balancer every second: keep both cheap. */
export interface HealthSource {
  started(): boolean
  ready(): Promise<readonly HealthCheck[]>
}
