import { canonicalJson, isJsonObject, type Json } from '@lockstep/base'
import { isExpressionValue } from '../../graph/input-template.ts'
import { pointerTo } from '../../graph/json-pointer.ts'
import { ownMember } from '../../graph/own-member.ts'
import type { FieldChange } from './graph-change.ts'

/** The smallest members that differ, sorted by name. Lists of another length and expressions differ as a whole. */
export function fieldChanges(before: Json | undefined, after: Json | undefined, pointer = ''): readonly FieldChange[] {
  if (before === undefined && after === undefined) return []
  if (before === undefined) return [{ pointer, after: after! }]
  if (after === undefined) return [{ pointer, before }]
  if (isPlain(before) && isPlain(after)) {
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort()
    return keys.flatMap((key) => fieldChanges(ownMember(before, key), ownMember(after, key), pointerTo(pointer, key)))
  }
  if (Array.isArray(before) && Array.isArray(after) && before.length === after.length) {
    return before.flatMap((item: Json, position) =>
      fieldChanges(item, after[position] as Json, pointerTo(pointer, position)),
    )
  }
  return canonicalJson(before) === canonicalJson(after) ? [] : [{ pointer, before, after }]
}

function isPlain(value: Json): value is { readonly [key: string]: Json } {
  return isJsonObject(value) && !isExpressionValue(value)
}
