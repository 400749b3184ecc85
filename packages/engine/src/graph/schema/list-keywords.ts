/** Keywords about lists. */
import type { Json, JsonObject } from '@lockstep/base'
import { holdsAt, type SchemaNode, type Test } from './node.ts'
import type { SchemaTree } from './tree.ts'
import { written } from './value-keywords.ts'

type ListTest = (items: readonly Json[], ...rest: Tail<Parameters<Test>>) => boolean
type Tail<T extends readonly unknown[]> = T extends readonly [unknown, ...infer Rest] ? Rest : never

/** All but `unevaluatedItems`, which comes when everything else was looked at. */
export function* listTests(self: SchemaNode, schema: JsonObject, tree: SchemaTree): Generator<Test, void, void> {
  for (const test of tests(self, schema, tree))
    yield (value, check, seen) => !Array.isArray(value) || test(value as readonly Json[], check, seen)
}

function* tests(self: SchemaNode, schema: JsonObject, tree: SchemaTree): Generator<ListTest, void, void> {
  const { maxItems, minItems, uniqueItems, prefixItems, items, contains } = schema
  if (typeof maxItems === 'number')
    yield (list, check) =>
      list.length <= maxItems ||
      check.fail(schema, 'maxItems', `must NOT have more than ${maxItems} items`, { limit: maxItems })
  if (typeof minItems === 'number')
    yield (list, check) =>
      list.length >= minItems ||
      check.fail(schema, 'minItems', `must NOT have fewer than ${minItems} items`, { limit: minItems })
  if (uniqueItems === true)
    yield (list, check) =>
      new Set(list.map((each) => written(each, check))).size === list.length ||
      check.fail(schema, 'uniqueItems', 'must NOT have duplicate items')
  const first = ((prefixItems ?? []) as readonly JsonObject[]).map((each) => tree.node(each, self))
  if (first.length > 0) yield itemsTest(first)
  if (items === false && first.length > 0)
    yield (list, check) =>
      list.length <= first.length ||
      check.fail(schema, 'items', `must NOT have more than ${first.length} items`, { limit: first.length })
  else if (items !== undefined) yield restTest(first.length, tree.node(items as JsonObject, self))
  if (contains !== undefined) yield containsTest(schema, tree.node(contains as JsonObject, self))
}

const itemsTest =
  (nodes: readonly SchemaNode[]): ListTest =>
  (list, check, seen) => {
    let fits = true
    for (const [n, node] of nodes.entries()) {
      if (n >= list.length) break
      seen?.items.add(n)
      if (holdsAt(node, n, list[n]!, check, seen)) continue
      fits = false
      if (!check.goesOn) break
    }
    return fits
  }

const restTest =
  (from: number, node: SchemaNode): ListTest =>
  (list, check, seen) => {
    let fits = true
    for (let n = from; n < list.length; n += 1) {
      seen?.items.add(n)
      if (holdsAt(node, n, list[n]!, check, seen)) continue
      fits = false
      if (!check.goesOn) break
    }
    return fits
  }

function containsTest(schema: JsonObject, node: SchemaNode): ListTest {
  const { minContains: least = 1, maxContains: most } = schema as { minContains?: number; maxContains?: number }
  const words = most === undefined ? `at least ${least}` : `at least ${least} and no more than ${most}`
  const params = most === undefined ? { minContains: least } : { minContains: least, maxContains: most }
  return (list, check, seen) => {
    const from = check.errors.length
    let found = 0
    for (const [n, item] of list.entries()) {
      if (!check.branch(from, () => holdsAt(node, n, item, check, seen))) continue
      found += 1
      seen?.items.add(n)
      // Enough is known, unless somebody asks what was looked at.
      if (seen === undefined && (most === undefined ? found >= least : found > most)) break
    }
    if (found < least || found > (most ?? Number.POSITIVE_INFINITY))
      return check.fail(schema, 'contains', `must contain ${words} valid item(s)`, params)
    check.errors.length = from
    return true
  }
}

export function* unevaluatedItemsTest(
  self: SchemaNode,
  schema: JsonObject,
  tree: SchemaTree,
): Generator<Test, void, void> {
  const { unevaluatedItems: rest } = schema
  if (rest === undefined) return
  const node = tree.node(rest as JsonObject, self)
  yield (list, check, seen) => {
    if (!Array.isArray(list) || seen === undefined) return true
    let fits = true
    for (const [n, item] of (list as readonly Json[]).entries()) {
      if (seen.items.has(n)) continue
      seen.items.add(n)
      const isFit =
        rest === false
          ? check.fail(schema, 'unevaluatedItems', `must NOT have more than ${n} items`, { limit: n })
          : holdsAt(node, n, item, check, seen)
      if (isFit) continue
      fits = false
      if (rest === false || !check.goesOn) break
    }
    return fits
  }
}
