/**
 * A TCP proxy that breaks on command. Start one per link, a node and a service that it talks to, so that any link can
 * fail alone; point the node at `proxy.url(serviceUrl)`; then `proxy.use(blackhole())`, and `await fault.landed()` before
 * claiming that anything survived it.
 */
export type { CutMoment } from './exchange/rule.ts'
export type { Selection } from './exchange/selection.ts'
export * from './fault/blackhole.ts'
export * from './fault/cut-after.ts'
export { type ConnectionLanding, defineFault, type Fault, type Lift } from './fault/fault.ts'
export * from './fault/flap.ts'
export * from './fault/latency.ts'
export * from './fault/one-way.ts'
export * from './fault/rate.ts'
export * from './fault/refuse.ts'
export * from './fault/reset.ts'
export * from './postgres/cut-commit.ts'
export { type CutStatementOptions, cutStatement, type StatementLanding } from './postgres/cut-statement.ts'
export * from './postgres/delay-reply.ts'
export type { Statement, StatementReply } from './postgres/statement.ts'
export type { Counters } from './proxy/counters.ts'
export * from './proxy/fault-proxy.ts'
export type { FaultSite } from './proxy/fault-site.ts'
export type { ProxyConnection } from './proxy/link.ts'
export type { Protocol, Target } from './proxy/target.ts'
export type { Direction } from './proxy/valve.ts'
export type { Command, CommandReply } from './redis/command.ts'
export * from './redis/match-command.ts'
