import type { ChannelPublisher } from './channel-publisher.ts'
import type { ExchangePublisher } from './exchange-publisher.ts'
import type { ResolveHost } from './http/guard-address.ts'
import type { Mailer } from './mailer.ts'
import type { SqlConnections } from './sql-connections.ts'

/** What steps may use outside of the engine. What is absent makes the activities that need it fail with `OUTBOUND_NOT_CONFIGURED`. */
export interface Outbound {
  /**
   * Tenants besides `default` whose steps may use what stands here: `allow`, `mailer`, `redis` and `connections`; `*` is all of them. To
   * others it is absent. `rabbitmq` is one for all tenants, `ownDatabase` for `default` alone. @default none
   */
  readonly tenants?: readonly string[]
  /** Private hosts and networks that HTTP steps may reach: `10.1.0.0/16`, `::1`, `billing.internal`, `*.svc.local`. @default none */
  readonly allow?: readonly string[]
  /** Certificates to trust instead of those that Node knows, as PEM. */
  readonly ca?: string
  /** @default the resolver of the machine */
  readonly resolveHost?: ResolveHost
  /** What HTTP requests send along as `traceparent`, unless their author does. @default nothing */
  readonly traceparent?: (() => string | undefined) | undefined
  readonly mailer?: Mailer | undefined
  readonly redis?: ChannelPublisher | undefined
  readonly rabbitmq?: ExchangePublisher | undefined
  readonly connections?: SqlConnections | undefined
  /** Whether `sql-query` of the default tenant may run on the engine's own database, with all rights of the engine there. @default false */
  readonly ownDatabase?: boolean
}
