import type { Statement, StatementReply } from '../postgres/statement.ts'
import type { ProxyConnection } from '../proxy/link.ts'
import type { Command, CommandReply } from '../redis/command.ts'

/** When a connection dies around a request: just before the server gets it, or once the server has answered it. */
export type CutMoment = 'before-forward' | 'after-forward'

/** What a request is, and what is learned from its reply, per protocol. */
export interface Exchanges {
  readonly postgres: { readonly subject: Statement; readonly reply: StatementReply }
  readonly redis: { readonly subject: Command; readonly reply: CommandReply }
}

export interface Exchange {
  readonly subject: unknown
  readonly reply: unknown
}

export interface Cut<Reply> {
  readonly do: 'cut'
  readonly when: CutMoment
  /** Called when the connection is gone. There is no reply where the request was never forwarded. */
  landed(reply: Reply | undefined): void
}

export interface DelayReply {
  readonly do: 'delay-reply'
  readonly ms: number
  landed(): void
}

export type Judgement<Reply> = Cut<Reply> | DelayReply

/** Asked once per request, before it is forwarded. `undefined`: no interest. */
export type Rule<E extends Exchange> = (
  subject: E['subject'],
  connection: ProxyConnection,
) => Judgement<E['reply']> | undefined

/** What the rules together decided about one request. */
export interface Verdict<Reply> {
  readonly cut?: Cut<Reply>
  readonly delays: readonly DelayReply[]
}
