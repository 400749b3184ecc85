import { type LabState, type Move, openSpan, type SpanKind, type WorkerName } from './lab-model.ts'

const SHOWN = 6

/** The end of a fence, which is what differs. */
export const shortFence = (fence: string): string => (fence.length > SHOWN + 2 ? `…${fence.slice(-SHOWN)}` : fence)

export const spanWords: Readonly<Record<SpanKind, string>> = {
  waiting: 'waits',
  holding: 'holds the lock',
  sleeping: 'sleeps',
  late: 'works on without its lease',
}

export function moveText({ worker, kind, fence = '', seen }: Move): string {
  const own = `fence ${shortFence(fence)}`
  switch (kind) {
    case 'asked':
      return `${worker} asks for the lock`
    case 'granted':
      return `${worker} holds the lock, with ${own}`
    case 'renewed':
      return `${worker} renews its lease`
    case 'expired':
      return `The lease of ${worker} has ended: nobody renewed it`
    case 'crashed':
      return `${worker} falls asleep, as a process that is frozen or cut off`
    case 'woke':
      return `${worker} wakes, and goes on as if no time had passed`
    case 'written':
      return `${worker} writes with ${own}`
    case 'refused':
      return `The late write of ${worker} is refused: ${own} is older than ${seen === undefined ? 'another' : shortFence(seen)}`
    case 'lost':
      return `${worker} learns that it has lost its lease, and stops`
    case 'released':
      return `${worker} gives the lock back`
    case 'unanswered':
      return `${worker} gets no answer, and asks again`
    case 'left':
      return `${worker} leaves`
  }
}

/** The picture in a sentence. */
export function pictureText({ spans }: LabState, workers: readonly WorkerName[]): string {
  const said = workers.flatMap((worker) => {
    const span = openSpan(spans, worker)
    return span === undefined ? [] : [`${worker} ${spanWords[span.kind]}`]
  })
  return said.length === 0 ? 'Nobody moves' : said.join(', ')
}

export const refusedText = (refused: number): string =>
  refused === 0
    ? 'No late write so far'
    : `${refused} late ${refused === 1 ? 'write was' : 'writes were'} refused: what the lock protects was never overwritten by an old holder`
