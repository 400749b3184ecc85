import { create } from 'zustand'

export type TimeStyle = 'relative' | 'local' | 'utc'

const KEY = 'lockstep-time-style'

interface TimeStyleState {
  readonly style: TimeStyle
  setStyle(style: TimeStyle): void
}

/** How instants are written on every page of this browser. */
export const useTimeStyle = create<TimeStyleState>()((set) => ({
  style: kept(),
  setStyle: (style) => {
    localStorage.setItem(KEY, style)
    set({ style })
  },
}))

function kept(): TimeStyle {
  const text = localStorage.getItem(KEY)
  return text === 'local' || text === 'utc' ? text : 'relative'
}
