import type { InTheWay, LeaseAnswer, TogetherAnswer } from '@lockstep/coordination'
import type { AcquireRow, AskDetail } from './lease.sql.ts'

export function leaseAnswers({ fences, details }: AcquireRow): LeaseAnswer[] {
  return fences.map((fence, index) =>
    fence === null ? refusal(details![index]!) : { status: 'granted', fence: BigInt(fence) },
  )
}

/** Nothing is granted unless everything is: what could have been had is `free`. */
export function togetherAnswers(row: AcquireRow): TogetherAnswer[] {
  const answers = leaseAnswers(row)
  if (row.details === null) return answers
  return answers.map((answer) => (answer.status === 'granted' ? { status: 'free' } : answer))
}

function refusal(detail: AskDetail): LeaseAnswer {
  switch (detail.status) {
    case 'wrong-kind':
      return { status: 'wrong-kind', inUseAs: detail.inUseAs }
    case 'too-heavy':
      return { status: 'too-heavy', max: detail.max }
    case 'queued':
      return { status: 'queued', ahead: detail.ahead ?? 0, ...inTheWay(detail) }
    case 'busy':
      return { status: 'busy', ...inTheWay(detail) }
  }
}

function inTheWay({ holder, leftMs }: AskDetail): InTheWay {
  return { ...(holder === null ? {} : { holder }), ...(leftMs === null ? {} : { leftMs: Math.max(0, leftMs) }) }
}
