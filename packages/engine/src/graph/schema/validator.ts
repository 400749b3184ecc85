/**
 * Schemas are written by authors and held against what strangers send, so both may be hostile: a `$ref` back to itself in two branches doubles
 * the work with each level of a value, a chain of definitions doubles it with each link, and a list of a thousand patterns is gone through for
 * each of a thousand texts. Whatever a schema says, one value costs a bounded number of steps, and what costs more does not fit.
 */
import type { Json, JsonObject } from '@lockstep/base'
import { branchTests } from './branch-keywords.ts'
import { Check, MOST_STEPS, OutOfSteps, type SchemaError } from './check.ts'
import { listTests, unevaluatedItemsTest } from './list-keywords.ts'
import { holds, isObject, type SchemaNode, Seen } from './node.ts'
import { objectTests, unevaluatedPropertiesTest } from './object-keywords.ts'
import { SchemaTree } from './tree.ts'
import { type Formats, valueTests } from './value-keywords.ts'

/** Answers whether a value fits; until the next call, `errors` says why the last one does not. */
export interface Validator {
  (value: unknown): boolean
  readonly errors: readonly SchemaError[] | undefined
}

/** Throws what is wrong with the schema. */
export function validator(schema: JsonObject | boolean, formats: Formats, steps = MOST_STEPS): Validator {
  const tree = new SchemaTree(schema)
  const root = tree.node(schema)
  build(tree, formats)
  const validate = Object.assign(
    (value: unknown): boolean => {
      const check = new Check(steps)
      const fits = tried(check, () => holds(root, value as Json, check, tree.isTracked ? new Seen() : undefined))
      validate.errors = fits ? undefined : check.errors
      return fits
    },
    { errors: undefined as readonly SchemaError[] | undefined },
  )
  return validate
}

const TOO_LONG =
  'takes too long to check: send less, or make its schema simpler (a $ref back to itself in one branch only, fewer patterns)'

function tried(check: Check, test: () => boolean): boolean {
  try {
    return test()
  } catch (error) {
    // The other is a stack that others have filled already.
    if (!(error instanceof OutOfSteps) && !(error instanceof RangeError)) throw error
    const instancePath = check.pointer()
    check.errors.length = 0
    check.errors.push({
      keyword: 'steps',
      instancePath,
      params: {},
      message: TOO_LONG,
      parentSchema: {},
      isOfBranch: false,
    })
    return false
  }
}

function build(tree: SchemaTree, formats: Formats): void {
  const inPlaceOf = new Map<SchemaNode, readonly SchemaNode[]>()
  for (const node of tree.waiting()) {
    const { schema } = node
    const inPlace: SchemaNode[] = []
    if (isObject(schema)) {
      node.tests = [
        ...valueTests(schema, tree, formats),
        ...branchTests(node, schema, tree, inPlace),
        ...listTests(node, schema, tree),
        ...objectTests(node, schema, tree),
        ...unevaluatedItemsTest(node, schema, tree),
        ...unevaluatedPropertiesTest(node, schema, tree),
      ]
    } else if (!schema) node.tests = [(_, check) => check.fail({}, 'false schema', 'boolean schema is false')]
    inPlaceOf.set(node, inPlace)
  }
  refuseCircles(inPlaceOf)
}

/** A schema that comes back to itself without going deeper into the value has no end. */
function refuseCircles(inPlaceOf: ReadonlyMap<SchemaNode, readonly SchemaNode[]>): void {
  const done = new Set<SchemaNode>()
  for (const start of inPlaceOf.keys()) {
    const open = new Set<SchemaNode>()
    const stack = [{ node: start, next: 0 }]
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      if (top.next === 0) open.add(top.node)
      const next = inPlaceOf.get(top.node)?.[top.next]
      top.next += 1
      if (next === undefined) {
        open.delete(top.node)
        done.add(top.node)
        stack.pop()
      } else if (open.has(next)) {
        const { $ref } = top.node.schema as JsonObject
        throw new Error(
          `"$ref": "${String($ref ?? '#').slice(0, 200)}" leads back to itself at the same place: put it under properties or items`,
        )
      } else if (!done.has(next)) stack.push({ node: next, next: 0 })
    }
  }
}
