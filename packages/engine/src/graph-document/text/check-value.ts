import type { Json } from '@lockstep/base'
import { pointerTo } from '../../graph/json-pointer.ts'
import { type TextProblem, textProblem } from './text-entry.ts'
import { DEEPEST } from './text-limits.ts'

interface Place {
  readonly value: object
  readonly depth: number
  readonly key: string | number
  readonly above: Place | undefined
}

/** What must not come in from outside: depth that overflows stacks, and the name through which objects inherit. Without recursion. */
export function checkValue(document: Json): TextProblem | undefined {
  if (typeof document !== 'object' || document === null) return undefined
  const open: Place[] = [{ value: document, depth: 1, key: '', above: undefined }]
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    if (place.depth > DEEPEST)
      return textProblem(
        'TOO_DEEP',
        `The document is nested deeper than ${DEEPEST} levels: flatten it`,
        pointerOf(place),
      )
    if (Object.hasOwn(place.value, '__proto__'))
      return textProblem('FORBIDDEN_NAME', 'No member may be called "__proto__": rename it', pointerOf(place))
    const { value, depth } = place
    for (const [key, member] of Array.isArray(value) ? value.entries() : Object.entries(value)) {
      if (typeof member === 'object' && member !== null)
        open.push({ value: member, depth: depth + 1, key, above: place })
    }
  }
  return undefined
}

function pointerOf(place: Place): string {
  const keys: (string | number)[] = []
  for (let at: Place | undefined = place; at?.above !== undefined; at = at.above) keys.push(at.key)
  return pointerTo('', ...keys.reverse())
}
