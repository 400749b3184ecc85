import { create } from 'zustand'

/** `stream`: the server tells what happens. `polling`: it has no stream, so pages ask again. `stale`: it does not answer. */
export type LiveMode = 'connecting' | 'stream' | 'polling' | 'stale'

interface LiveState {
  readonly mode: LiveMode
  readonly paused: boolean
  /** By the browser's clock: when the server last said anything. */
  readonly heardAt: number | undefined
  /** The stream is open, whatever single answers say meanwhile. */
  readonly streaming: boolean
  /** What an answer says of the server. */
  setMode(mode: LiveMode): void
  /** What the stream says of itself. */
  setStream(mode: LiveMode): void
  setPaused(paused: boolean): void
  heard(at: number): void
}

export const useLive = create<LiveState>()((set) => ({
  mode: 'connecting',
  paused: false,
  heardAt: undefined,
  streaming: false,
  setMode: (mode) => set({ mode }),
  setStream: (mode) => set({ mode, streaming: mode === 'stream' }),
  setPaused: (paused) => set({ paused }),
  heard: (heardAt) => set({ heardAt }),
}))

/** How often a query asks again by itself. With a stream that is only a net under it. */
export function usePollMs(pollMs: number, streamMs = 15_000): number | false {
  const { mode, paused } = useLive()
  if (paused) return false
  return mode === 'stream' ? streamMs : pollMs
}
