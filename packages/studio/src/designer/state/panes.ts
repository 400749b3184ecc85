/** Which panes beside the drawing are open. */
export interface Panes {
  readonly side: boolean
  readonly inspector: boolean
}

const KEY = 'lockstep-designer-panes'

/** Where there is room for the drawing only, panes lie over it, and are closed until somebody asks for them. */
export const isNarrow = (): boolean => globalThis.matchMedia?.('(max-width: 900px)').matches ?? false

/** As they were left in this browser. */
export function rememberedPanes(): Panes {
  if (isNarrow()) return { side: false, inspector: false }
  const { side = true, inspector = true } = readPanes(globalThis.localStorage?.getItem(KEY) ?? null)
  return { side, inspector }
}

export function readPanes(text: string | null): Partial<Panes> {
  try {
    const { side, inspector } = JSON.parse(text ?? '{}') as Readonly<Record<string, unknown>>
    return {
      ...(typeof side === 'boolean' ? { side } : {}),
      ...(typeof inspector === 'boolean' ? { inspector } : {}),
    }
  } catch {
    return {}
  }
}

export const keepPanes = (panes: Panes): void => localStorage.setItem(KEY, JSON.stringify(panes))
