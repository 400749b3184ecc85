import { create } from 'zustand'

/** `stream`: the server tells what happens. `polling`: it answers, but not with a stream, so pages ask again. `stale`: it does not answer. */
export type LiveMode = 'connecting' | 'stream' | 'polling' | 'stale'

interface LiveState {
  readonly mode: LiveMode
  readonly paused: boolean
  /** By the browser's clock: when the server last said anything. */
  readonly heardAt: number | undefined
  /** The stream is open, whatever single answers say meanwhile. */
  readonly streaming: boolean
  /** Why there is no stream, as a sentence. */
  readonly why: string | undefined
  /** What an answer says of the server. */
  setMode(mode: LiveMode): void
  /** What the stream says of itself. */
  setStream(mode: LiveMode, why?: string): void
  setPaused(paused: boolean): void
  heard(at: number): void
}

export const useLive = create<LiveState>()((set) => ({
  mode: 'connecting',
  paused: false,
  heardAt: undefined,
  streaming: false,
  why: undefined,
  setMode: (mode) => set({ mode }),
  // A stream that could not be opened once more says nothing new of a server that answers.
  setStream: (next, why) =>
    set(({ mode }) => ({
      mode: next === 'stale' && mode === 'polling' ? mode : next,
      why,
      streaming: next === 'stream',
    })),
  setPaused: (paused) => set({ paused }),
  heard: (heardAt) => set({ heardAt }),
}))

/** How often a query asks again by itself. With a stream that is only a net under it. */
export function usePollMs(pollMs: number, streamMs = 15_000): number | false {
  const { mode, paused } = useLive()
  if (paused) return false
  return mode === 'stream' ? streamMs : pollMs
}
