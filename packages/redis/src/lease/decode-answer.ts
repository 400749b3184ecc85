import type { InTheWay, LockKind, TogetherAnswer } from '@lockstep/coordination'

/** What a script answers for one lease; its header lists the shapes. */
export type RawAnswer =
  | string
  | 0
  | ['q', ahead: number, holder: string, leftMs: number]
  | ['b', holder: string, leftMs: number]
  | ['k', kind: LockKind]
  | ['h', max: number]

export function decodeAnswer(raw: RawAnswer): TogetherAnswer {
  if (typeof raw === 'string') return { status: 'granted', fence: BigInt(raw) }
  if (raw === 0) return { status: 'free' }
  switch (raw[0]) {
    case 'q':
      return { status: 'queued', ahead: raw[1], ...inTheWay(raw[2], raw[3]) }
    case 'b':
      return { status: 'busy', ...inTheWay(raw[1], raw[2]) }
    case 'k':
      return { status: 'wrong-kind', inUseAs: raw[1] }
    case 'h':
      return { status: 'too-heavy', max: raw[1] }
  }
}

function inTheWay(holder: string, leftMs: number): InTheWay {
  return { ...(holder === '' ? {} : { holder }), ...(leftMs < 0 ? {} : { leftMs }) }
}

/** The store's clock: microseconds as text, in milliseconds with fraction. */
export function timeOf(microseconds: string): number {
  return Number(microseconds) / 1_000
}
