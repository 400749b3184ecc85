import { create } from 'zustand'

export const tourSteps = ['run', 'watch', 'approve', 'publish', 'retry', 'travel', 'lock', 'node'] as const
export type TourStep = (typeof tourSteps)[number]

interface Kept {
  readonly done: readonly TourStep[]
  readonly dismissed: boolean
}

interface TourState extends Kept {
  tick(step: TourStep): void
  dismiss(): void
}

const KEY = 'lockstep-tour'

/** What of the tour has happened in this browser. */
export const useTour = create<TourState>()((set, get) => ({
  ...kept(),
  tick: (step) => {
    if (!get().done.includes(step)) set(keep({ ...get(), done: [...get().done, step] }))
  },
  dismiss: () => set(keep({ ...get(), dismissed: true })),
}))

function keep({ done, dismissed }: Kept): Kept {
  localStorage.setItem(KEY, JSON.stringify({ done, dismissed }))
  return { done, dismissed }
}

function kept(): Kept {
  try {
    const { done, dismissed } = JSON.parse(localStorage.getItem(KEY) ?? '{}') as Partial<Kept>
    return { done: tourSteps.filter((step) => done?.includes(step)), dismissed: dismissed === true }
  } catch {
    return { done: [], dismissed: false }
  }
}
