import { create } from 'zustand'

/** `stream`: the server tells what happens. `polling`: it has no stream, so pages ask again. `stale`: it does not answer. */
export type LiveMode = 'connecting' | 'stream' | 'polling' | 'stale'

interface LiveState {
  readonly mode: LiveMode
  readonly paused: boolean
  /** By the browser's clock: when the server last said anything. */
  readonly heardAt: number | undefined
  setMode(mode: LiveMode): void
  setPaused(paused: boolean): void
  heard(at: number): void
}

export const useLive = create<LiveState>()((set) => ({
  mode: 'connecting',
  paused: false,
  heardAt: undefined,
  setMode: (mode) => set({ mode }),
  setPaused: (paused) => set({ paused }),
  heard: (heardAt) => set({ heardAt }),
}))

/** How often a query asks again by itself. With a stream that is only a net under it. */
export function usePollMs(pollMs: number, streamMs = 15_000): number | false {
  const { mode, paused } = useLive()
  if (paused) return false
  return mode === 'stream' ? streamMs : pollMs
}
