import { seededRandom } from '@lockstep/base'
import type { Dialogue, Passage } from '../../src/faults/exchange/dialogue.ts'
import { openRuleBooks } from '../../src/faults/exchange/rule-book.ts'
import type { Fault } from '../../src/faults/fault/fault.ts'
import { type Counters, newCounters } from '../../src/faults/proxy/counters.ts'
import { dialogues } from '../../src/faults/proxy/dialogues.ts'
import type { FaultSite } from '../../src/faults/proxy/fault-site.ts'
import type { Protocol } from '../../src/faults/proxy/target.ts'
import { ManualClock } from './manual-clock.ts'

/** What the client sends or what the server answers, in the order in which they pass the proxy. */
export type Turn = { readonly request: Buffer } | { readonly reply: Buffer }

/** What each side got, and what became of the connection. */
export interface Outcome {
  readonly server: Buffer
  readonly client: Buffer
  readonly cut: boolean
  /** Sum of the delays put on replies. */
  readonly delayMs: number
  readonly counters: Counters
}

/** Cuts a chunk into pieces; the conversation must not depend on it. */
export type Chop = (bytes: Buffer) => readonly Buffer[]

export const whole: Chop = (bytes) => [bytes]
export const byByte: Chop = (bytes) => Array.from(bytes, (byte) => Buffer.from([byte]))

/** Holds a conversation through a dialogue, without any socket. Nothing passes after a cut. */
export function converse(
  protocol: Protocol,
  faults: readonly Fault<unknown>[],
  turns: readonly Turn[],
  chop: Chop = whole,
): Outcome {
  const counters = newCounters()
  const books = openRuleBooks(counters)
  let cut = false
  const link = {
    id: 1,
    clientPort: 1,
    cut: () => {
      cut = true
    },
    reset: () => {},
  }
  const site: FaultSite = {
    address: { host: '127.0.0.1', port: 1 },
    clock: new ManualClock(),
    random: seededRandom(1),
    counters,
    eachLink: () => () => {},
    shutPort: () => async () => {},
    judge: (wanted, rule) => books[wanted].add(rule),
  }
  for (const fault of faults) fault.apply(site)
  const dialogue: Dialogue = dialogues[protocol](books, link, counters)
  const got: Record<'server' | 'client', Buffer[]> = { server: [], client: [] }
  let delayMs = 0
  const deliver = (to: 'server' | 'client', passages: readonly Passage[]): void => {
    for (const passage of passages) {
      if (cut) return
      if (passage.act) passage.act()
      else {
        got[to].push(passage.bytes)
        delayMs += passage.delayMs ?? 0
      }
    }
  }
  for (const turn of turns) {
    if ('request' in turn) for (const piece of chop(turn.request)) deliver('server', dialogue.requests.chunk(piece))
    else for (const piece of chop(turn.reply)) deliver('client', dialogue.replies.chunk(piece))
  }
  return { server: Buffer.concat(got.server), client: Buffer.concat(got.client), cut, delayMs, counters }
}
