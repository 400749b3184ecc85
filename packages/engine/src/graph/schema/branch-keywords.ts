/** Keywords that hold the same value against other schemas. */
import type { Json, JsonObject } from '@lockstep/base'
import { holds, isObject, type SchemaNode, Seen, type Test } from './node.ts'
import type { SchemaTree } from './tree.ts'

type Schemas = readonly (JsonObject | boolean)[]

/** `inPlace` learns which schemas the value is held against whatever it is: a circle of them would never end. */
export function* branchTests(
  self: SchemaNode,
  schema: JsonObject,
  tree: SchemaTree,
  inPlace: SchemaNode[],
): Generator<Test, void, void> {
  const nodeOf = (inner: JsonObject | boolean): SchemaNode => {
    const node = tree.node(inner, self)
    inPlace.push(node)
    return node
  }
  const nodesOf = (inner: unknown): readonly SchemaNode[] => (inner as Schemas).map(nodeOf)

  if (typeof schema.$ref === 'string') {
    const target = tree.refer(schema.$ref, self)
    inPlace.push(target)
    yield (value, check, seen) => holds(target, value, check, seen)
  }
  if (typeof schema.$dynamicRef === 'string') {
    const target = tree.referDynamically(schema.$dynamicRef, self)
    yield (value, check, seen) => holds(target(check.scope), value, check, seen)
  }
  if (schema.not !== undefined) yield notTest(schema, nodeOf(schema.not as JsonObject))
  if (schema.anyOf !== undefined) yield anyTest(schema, nodesOf(schema.anyOf))
  if (schema.oneOf !== undefined) yield oneTest(schema, nodesOf(schema.oneOf))
  if (schema.allOf !== undefined) yield allTest(nodesOf(schema.allOf))
  if (schema.if !== undefined) {
    const [then, otherwise] = [schema.then, schema.else].map((each) =>
      each === undefined ? undefined : nodeOf(each as JsonObject),
    )
    yield ifTest(schema, nodeOf(schema.if as JsonObject), then, otherwise)
  }
  for (const [name, inner] of Object.entries({
    ...(schema.dependencies as object),
    ...(schema.dependentSchemas as object),
  })) {
    if (Array.isArray(inner)) continue
    const node = nodeOf(inner as JsonObject)
    yield (value, check, seen) => !has(value, name) || holds(node, value, check, seen)
  }
}

const has = (value: Json, name: string): boolean =>
  isObject(value) && Object.hasOwn(value, name) && value[name] !== undefined

const notTest =
  (schema: JsonObject, node: SchemaNode): Test =>
  (value, check, seen) =>
    !check.quietly(() => holds(node, value, check, seen && new Seen())) ||
    check.fail(schema, 'not', 'must NOT be valid')

function anyTest(schema: JsonObject, nodes: readonly SchemaNode[]): Test {
  return (value, check, seen) => {
    const from = check.errors.length
    let fits = false
    for (const node of nodes) {
      if (!check.branch(from, () => holds(node, value, check, seen))) continue
      fits = true
      // The others may have looked at more of it, where somebody asks.
      if (seen === undefined) break
    }
    if (!fits) return check.fail(schema, 'anyOf', 'must match a schema in anyOf')
    check.errors.length = from
    return true
  }
}

const oneTest =
  (schema: JsonObject, nodes: readonly SchemaNode[]): Test =>
  (value, check, seen) => {
    const from = check.errors.length
    const passing: number[] = []
    for (const [n, node] of nodes.entries()) {
      if (check.branch(from, () => holds(node, value, check, seen))) passing.push(n)
      if (passing.length > 1) break
    }
    if (passing.length !== 1)
      return check.fail(schema, 'oneOf', 'must match exactly one schema in oneOf', {
        passingSchemas: passing.length === 0 ? null : passing,
      })
    check.errors.length = from
    return true
  }

const allTest =
  (nodes: readonly SchemaNode[]): Test =>
  (value, check, seen) => {
    let fits = true
    for (const node of nodes) {
      if (holds(node, value, check, seen)) continue
      fits = false
      if (!check.goesOn) break
    }
    return fits
  }

const ifTest =
  (schema: JsonObject, test: SchemaNode, then: SchemaNode | undefined, otherwise: SchemaNode | undefined): Test =>
  (value, check, seen) => {
    const isThen = check.quietly(() => holds(test, value, check, seen))
    const node = isThen ? then : otherwise
    const failingKeyword = isThen ? 'then' : 'else'
    return (
      node === undefined ||
      check.branch(check.errors.length, () => holds(node, value, check, seen)) ||
      check.fail(schema, 'if', `must match "${failingKeyword}" schema`, { failingKeyword })
    )
  }
