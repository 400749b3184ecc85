/** What validation can say of a document's secrets before anything runs. */
import type { Json } from '@lockstep/base'
import type { ActivityEntry, DocumentIndex } from '../graph/document-index.ts'
import { type GraphProblem, problem, warning } from '../graph/graph-problem.ts'
import { isExpressionValue } from '../graph/input-template.ts'
import { pointerTo } from '../graph/json-pointer.ts'
import { LONGEST_SECRET_NAME, SECRET_NAME } from '../outbound/secrets.ts'
import { isSecretValue, takesSecrets } from './secret-places.ts'

const NAME = new RegExp(SECRET_NAME)
const LONGEST_PREFIX = 100
/** Names of members that hold a secret wherever they stand. */
const TELLING =
  /^(pass(word|phrase|wd)?|pwd|(client|api|access|auth|bearer|private|signing|shared)?[_-]?(secret|token)|(api|access|private|secret)[_-]?key|credentials?)$/i

export function* checkSecrets(index: DocumentIndex): Generator<GraphProblem> {
  for (const entry of index.activities) {
    const { type, document, pointer } = entry
    if (type === undefined || document.inputs === undefined) continue
    for (const name of type.literalInputs ?? [])
      if (isSecretValue(document.inputs[name]))
        yield problem(
          pointerTo(pointer, 'inputs', name),
          'INVALID_SECRET',
          `Input "${name}" of "${entry.id}" (${type.type}) must be a literal: no secret may make it`,
        )
    yield* checkValue(entry, document.inputs, pointerTo(pointer, 'inputs'), takesSecrets(type))
  }
}

function* checkValue(entry: ActivityEntry, value: Json, at: string, mayHold: boolean): Generator<GraphProblem> {
  if (isExpressionValue(value) || typeof value !== 'object' || value === null) return
  if (isSecretValue(value)) {
    const why = mayHold
      ? faultOf(value)
      : `stands in "${entry.id}" (${entry.document.type}), whose inputs are written down`
    if (why !== undefined) yield problem(at, 'INVALID_SECRET', `This secret ${why}`)
    return
  }
  for (const [name, member] of Object.entries(value)) {
    const place = pointerTo(at, name)
    const isChecked = entry.document.type === 'webhook' && name === 'secret' // by its own schema, as a name
    if (mayHold && !isChecked && isLiteralSecret(name, member as Json))
      yield warning(
        place,
        'LITERAL_SECRET',
        `"${name}" of "${entry.id}" looks like a secret that everybody who reads the document sees: write { "$secret": "name" } and set it with "lockstep secret set name"`,
      )
    yield* checkValue(entry, member as Json, place, mayHold)
  }
}

function faultOf(value: { readonly $secret: Json; readonly prefix?: Json }): string | undefined {
  const { $secret: name, prefix = '', ...others } = value as Record<string, Json>
  if (typeof name !== 'string' || !NAME.test(name) || name.length > LONGEST_SECRET_NAME)
    return `needs a name in lower case with dashes, such as { "$secret": "billing-token" }`
  if (typeof prefix !== 'string' || prefix.length > LONGEST_PREFIX)
    return `has a "prefix" that is no text of at most ${LONGEST_PREFIX} characters`
  const [strange] = Object.keys(others)
  return strange === undefined ? undefined : `has a member "${strange}": only "$secret" and "prefix" may stand there`
}

/** A member `secret` that holds the name of one is what it should be. */
function isLiteralSecret(name: string, member: Json): boolean {
  if (typeof member !== 'string' || member === '' || !TELLING.test(name)) return false
  return !(name === 'secret' && NAME.test(member))
}
