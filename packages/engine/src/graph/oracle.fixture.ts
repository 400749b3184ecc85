import type { ActivityDocument, GraphBody, GraphDocument } from './document.ts'

/**
 * What a document without cycles must do, worked out without tokens, joins or time: a step runs when it is a start, or
 * when some step that ran leads to it through the outcome it took. Written apart from the interpreter on purpose.
 */
export interface Prediction {
  readonly failed: boolean
  /** Steps that complete or fail in every order of events. */
  readonly required: ReadonlySet<string>
  /** Steps that may run before a failure or a race cuts them off. */
  readonly allowed: ReadonlySet<string>
}

interface Part {
  readonly failed: boolean
  readonly required: readonly string[]
  readonly allowed: readonly string[]
}

export function predict(document: GraphDocument): Prediction {
  const { failed, required, allowed } = predictBody(document, '')
  return { failed, required: new Set(required), allowed: new Set(allowed) }
}

function predictBody(body: GraphBody, path: string): Part {
  const taken = new Map<string, string | undefined>()
  const required: string[] = []
  const allowed: string[] = []
  let failed = false
  // Documents of the generator list activities in the order of their connections.
  for (const activity of body.activities) {
    const incoming = (body.connections ?? []).filter((connection) => connection.to === activity.id)
    const runs = incoming.length === 0 || incoming.some(({ from, outcome = 'done' }) => taken.get(from) === outcome)
    if (!runs) continue
    const end = predictActivity(activity, `${path}${activity.id}`)
    taken.set(activity.id, end.outcome)
    required.push(...end.required)
    allowed.push(...end.allowed)
    failed ||= end.failed
  }
  // Once a step fails for good the others are cut off at a point that only the order of events decides.
  return { failed, required: failed ? [] : required, allowed }
}

function predictActivity(activity: ActivityDocument, key: string): Part & { readonly outcome?: string } {
  const inside = predictInside(activity, key)
  const own = [key]
  const rest = { required: [...own, ...inside.required], allowed: [...own, ...inside.allowed] }
  if (!inside.failed) return { ...rest, failed: false, outcome: inside.outcome }
  if (activity.onError === 'continue') return { ...rest, failed: false, outcome: 'done' }
  if (activity.onError === 'outcome') return { ...rest, failed: false, outcome: 'failed' }
  return { ...rest, failed: true }
}

function predictInside(activity: ActivityDocument, key: string): Part & { readonly outcome: string } {
  const { behaviour, outcome, items, join } = activity.inputs ?? {}
  switch (activity.type) {
    case 'for-each':
      return { ...merge((items as number[]).map((index) => predictBody(activity.body!, `${key}[${index}].`))), outcome: 'done' }
    case 'parallel': {
      const merged = merge(activity.branches!.map((branch, index) => predictBody(branch, `${key}[${index}].`)))
      return { ...merged, required: join === 'any' ? [] : merged.required, outcome: 'done' }
    }
    case 'try':
      return predictTry(activity, key)
    default:
      return { failed: behaviour === 'fail', required: [], allowed: [], outcome: String(outcome) }
  }
}

function predictTry(activity: ActivityDocument, key: string): Part & { readonly outcome: string } {
  const parts = [predictBody(activity.body!, `${key}.`)]
  let { failed } = parts[0]!
  let caught = false
  if (failed && activity.catch) {
    const handler = predictBody(activity.catch, `${key}:catch.`)
    parts.push(handler)
    caught = true
    failed = handler.failed
  }
  if (activity.finally) {
    const last = predictBody(activity.finally, `${key}:finally.`)
    parts.push(last)
    failed ||= last.failed
  }
  const { required, allowed } = join(parts)
  return { failed, required, allowed, outcome: caught ? 'caught' : 'done' }
}

const join = (parts: readonly Part[]): Pick<Part, 'required' | 'allowed'> => ({
  required: parts.flatMap((part) => part.required),
  allowed: parts.flatMap((part) => part.allowed),
})

/** Parts that run side by side: the failure of one cuts off all. */
function merge(parts: readonly Part[]): Part {
  const failed = parts.some((part) => part.failed)
  return { failed, required: failed ? [] : parts.flatMap((part) => part.required), allowed: parts.flatMap((part) => part.allowed) }
}
