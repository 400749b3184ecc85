import type { Json } from '../model/json.ts'
import type { DesignView, Step } from '../model/view.ts'

export interface FoundStep {
  readonly step: Step
  /** Where the text stands, when it is in no name. */
  readonly place: string | undefined
}

/** Steps whose name, id, type, title of that type, inputs or other fields hold the text: those with it in their names first. Capitals do not matter. */
export function findSteps(
  { steps }: DesignView,
  text: string,
  titleOf: (type: string) => string | undefined = () => undefined,
): readonly FoundStep[] {
  const asked = text.trim().toLowerCase()
  const found = [...steps.values()].flatMap((step): readonly FoundStep[] => {
    const names = `${step.name} ${step.id} ${step.type} ${titleOf(step.type) ?? ''}`.toLowerCase()
    if (names.includes(asked)) return [{ step, place: undefined }]
    const place = placeIn({ ...step.inputs, ...step.fields }, asked)
    return place === undefined ? [] : [{ step, place }]
  })
  return found.sort((a, b) => Number(a.place !== undefined) - Number(b.place !== undefined))
}

/** The first value that holds the text, as `path: value`. */
function placeIn(value: Json | undefined, asked: string, path = ''): string | undefined {
  if (value === null || value === undefined) return undefined
  if (typeof value !== 'object') {
    const text = String(value)
    return text.toLowerCase().includes(asked) ? `${path}: ${text}` : undefined
  }
  for (const [name, each] of Object.entries(value)) {
    const place = placeIn(each as Json, asked, path === '' ? name : name === '$expr' ? path : `${path}.${name}`)
    if (place !== undefined) return place
  }
  return undefined
}
