import { create } from 'zustand'

/** `stream`: the server tells what happens. `polling`: it answers, but not with a stream, so pages ask again. `stale`: it does not answer. */
export type LiveMode = 'connecting' | 'stream' | 'polling' | 'stale'

interface Heard {
  /** What the stream says of itself. */
  readonly stream: LiveMode
  /** Something that a page shows was asked for and not answered. */
  readonly unanswered: boolean
  /** Something was answered since the stream broke off. */
  readonly answered: boolean
}

interface LiveState extends Heard {
  readonly mode: LiveMode
  readonly paused: boolean
  /** By the browser's clock: when the server last said anything. */
  readonly heardAt: number | undefined
  /** Why there is no stream, as a sentence. */
  readonly why: string | undefined
  setStream(stream: LiveMode, why?: string): void
  setUnanswered(unanswered: boolean): void
  setPaused(paused: boolean): void
  /** An answer came. */
  setAnswered(at: number): void
  /** Something came with the stream. */
  heard(at: number): void
}

/**
 * A stream that is open says nothing for what was asked and not answered: one of several nodes may refuse while another one streams.
 * A stream that broke off, or could not be opened once more, says nothing against a server that answers.
 */
export function modeOf({ stream, unanswered, answered }: Heard): LiveMode {
  if (unanswered) return 'stale'
  return stream === 'stale' && answered ? 'polling' : stream
}

export const useLive = create<LiveState>()((set) => {
  const hear = (next: (before: LiveState) => Partial<LiveState>): void =>
    set((before) => {
      const now = { ...before, ...next(before) }
      return { ...now, mode: modeOf(now) }
    })
  return {
    ...{ mode: 'connecting', stream: 'connecting', unanswered: false, answered: false },
    ...{ paused: false, heardAt: undefined, why: undefined },
    setStream: (stream, why) => hear(({ answered }) => ({ stream, why, answered: answered && stream !== 'stream' })),
    setUnanswered: (unanswered) => hear(() => ({ unanswered })),
    setAnswered: (heardAt) => hear(({ stream }) => ({ heardAt, answered: stream !== 'stream' })),
    setPaused: (paused) => set({ paused }),
    heard: (heardAt) => set({ heardAt }),
  }
})

/** How often a query asks again by itself. With a stream that is only a net under it. */
export function usePollMs(pollMs: number, streamMs = 15_000): number | false {
  const { mode, paused } = useLive()
  if (paused) return false
  return mode === 'stream' ? streamMs : pollMs
}
