import { withInside } from '../model/index.ts'
import type { Designer } from './designer-state.ts'

const keyOf = (id: string): string => `lockstep-designer-folded ${id}`

/** Containers that were folded when this workflow was last seen, in this browser. */
export function rememberedFolds(id: string): ReadonlySet<string> {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(keyOf(id)) ?? '[]')
    return new Set(Array.isArray(found) ? found.filter((key) => typeof key === 'string') : [])
  } catch {
    return new Set()
  }
}

/** Folds or unfolds a container. What was selected inside is selected no more: the container is. */
export function toggleFold({ design, store, definitionId }: Designer, key: string): void {
  const { folded, selection } = store.getState()
  const next = new Set(folded)
  if (!next.delete(key)) next.add(key)
  const inside = withInside(design.view, [key])
  const hides = next.has(key) && [...selection].some((each) => each !== key && inside.has(each))
  store.setState({ folded: next, ...(hides ? { selection: new Set([key]) } : {}) })
  if (next.size === 0) localStorage.removeItem(keyOf(definitionId))
  else localStorage.setItem(keyOf(definitionId), JSON.stringify([...next]))
}
