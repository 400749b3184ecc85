import type { Json } from '@lockstep/base'
import { stringify } from 'yaml'
import { inCanonicalOrder } from './canonical-order.ts'

/** Of one document: equal documents are equal text, on every machine, so that a change is a small diff. */
export function writeJson(document: Json): string {
  return `${JSON.stringify(inCanonicalOrder(document), undefined, 2)}\n`
}

/** See `writeJson`. Streams put `---` between documents. */
export function writeYaml(document: Json): string {
  return stringify(inCanonicalOrder(document), { schema: 'core', lineWidth: 0, aliasDuplicateObjects: false })
}
