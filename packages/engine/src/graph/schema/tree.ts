/** The schemas inside a schema: where they stand, which names they have, and what a reference means. */
import type { JsonObject } from '@lockstep/base'
import { pointerSegments } from '../json-pointer.ts'
import { type BoundedPattern, boundedPattern } from '../pattern/bounded-pattern.ts'
import { isObject, type SchemaNode } from './node.ts'
import { checkShape } from './shape.ts'

type Schema = JsonObject | boolean

/** What has an `$id` of its own, or the whole. */
interface Resource {
  readonly base: string
  readonly root: JsonObject | boolean
  readonly anchors: Map<string, Schema>
  readonly dynamic: Map<string, Schema>
}

const ONE = ['items', 'contains', 'additionalProperties', 'propertyNames', 'not', 'if', 'then', 'else'] as const
const REST = ['unevaluatedItems', 'unevaluatedProperties', 'contentSchema'] as const
const LISTS = ['allOf', 'anyOf', 'oneOf', 'prefixItems'] as const
const MAPS = ['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions', 'dependencies'] as const

/** Of all patterns that the host cannot be asked about. */
const MOST_PLACES = 20_000
const DIALECT = 'https://json-schema.org/draft/2020-12/schema'
/** Schemas without an address stand here. */
const NOWHERE = 'schema://author/'

export class SchemaTree {
  readonly #resources = new Map<string, Resource>()
  readonly #resourceOf = new Map<object, Resource>()
  readonly #nodes = new Map<object, SchemaNode>()
  readonly #waiting: SchemaNode[] = []
  readonly #patterns = new Map<string, BoundedPattern>()
  #places = 0
  /** Whether anything asks what was not looked at. */
  isTracked = false

  constructor(root: Schema) {
    this.#walk(root, this.#resource(root, NOWHERE), '')
  }

  /** Throws when it is none, or when all together grow too large. */
  pattern(source: string): BoundedPattern {
    const present = this.#patterns.get(source)
    if (present !== undefined) return present
    const made = boundedPattern(source)
    this.#patterns.set(source, made)
    this.#places += made.size
    if (this.#places > MOST_PLACES)
      throw new Error(`pattern "${source.slice(0, 80)}" and those before it count too far together: use smaller counts`)
    return made
  }

  /** Of the schema at a place of `above`, which tells where it belongs. */
  node(schema: Schema, above?: SchemaNode): SchemaNode {
    const present = isObject(schema) ? this.#nodes.get(schema) : undefined
    if (present !== undefined) return present
    const [first] = this.#resources.values()
    const resource =
      (isObject(schema) ? this.#resourceOf.get(schema) : undefined) ?? (above?.resource as Resource | undefined)
    const node: SchemaNode = { schema, resource: resource ?? first!, tests: [] }
    if (isObject(schema)) this.#nodes.set(schema, node)
    this.#waiting.push(node)
    return node
  }

  /** Nodes that have no tests yet, one after the other, until none is left. */
  *waiting(): Generator<SchemaNode, void, void> {
    for (const schema of this.#resourceOf.keys()) this.node(schema as JsonObject)
    for (let next = this.#waiting.pop(); next !== undefined; next = this.#waiting.pop()) yield next
  }

  /** What `$ref` means where it stands. */
  refer(ref: string, from: SchemaNode): SchemaNode {
    const found = this.#find(ref, from)
    return this.node(found.schema, { schema: true, resource: found.resource, tests: [] })
  }

  /** What `$dynamicRef` means: told when the resources are known that were gone through. */
  referDynamically(ref: string, from: SchemaNode): (scope: readonly object[]) => SchemaNode {
    const { schema, resource, name } = this.#find(ref, from)
    const fixed = this.node(schema, { schema: true, resource, tests: [] })
    if (name === undefined || resource.dynamic.get(name) !== schema) return () => fixed
    return (scope) => {
      const outermost = scope.find((each) => (each as Resource).dynamic.has(name)) as Resource | undefined
      return outermost === undefined ? fixed : this.node(outermost.dynamic.get(name)!)
    }
  }

  #find(ref: string, from: SchemaNode): { schema: Schema; resource: Resource; name?: string } {
    const missing = (): never => {
      throw new Error(
        `"${ref.slice(0, 200)}" refers to nothing in the schema: write #, #/$defs/name or the $id of a part`,
      )
    }
    const [address = '', fragment = ''] = resolved(ref, (from.resource as Resource).base)?.split('#') ?? missing()
    const resource = this.#resources.get(address)
    if (resource === undefined)
      return address === DIALECT ? { schema: ANY_SCHEMA, resource: from.resource as Resource } : missing()
    const name = decoded(fragment)
    if (name === '') return { schema: resource.root, resource }
    if (!name.startsWith('/')) return { schema: resource.anchors.get(name) ?? missing(), resource, name }
    let at: unknown = resource.root
    for (const segment of pointerSegments(name))
      at = typeof at === 'object' && at !== null && Object.hasOwn(at, segment) ? (at as JsonObject)[segment] : undefined
    if (typeof at !== 'boolean' && !isObject(at)) return missing()
    if (isObject(at) && !this.#resourceOf.has(at)) this.#walk(at, resource, name)
    return { schema: at, resource: (isObject(at) ? this.#resourceOf.get(at) : undefined) ?? resource }
  }

  #resource(root: Schema, above: string): Resource {
    const id = isObject(root) && typeof root.$id === 'string' ? root.$id : ''
    const base = resolved(id, above)?.split('#')[0]
    if (base === undefined) throw new Error(`"${id.slice(0, 200)}" is no address: change the $id, or leave it out`)
    if (this.#resources.has(base)) throw new Error(`"${id.slice(0, 200)}" is the $id of two schemas: change one`)
    const made: Resource = { base, root, anchors: new Map(), dynamic: new Map() }
    this.#resources.set(base, made)
    return made
  }

  #walk(schema: Schema, resource: Resource, pointer: string): void {
    if (!isObject(schema) || this.#resourceOf.has(schema)) return
    checkShape(schema, pointer)
    const { $schema, $id, $anchor, $dynamicAnchor } = schema
    if (typeof $schema === 'string' && $schema.replace(/#$/, '') !== DIALECT)
      throw new Error(`"${pointer}/$schema" must be ${DIALECT}, or be left out`)
    const own = typeof $id === 'string' && schema !== resource.root ? this.#resource(schema, resource.base) : resource
    this.#resourceOf.set(schema, own)
    if (typeof $anchor === 'string') own.anchors.set($anchor, schema)
    if (typeof $dynamicAnchor === 'string') {
      own.anchors.set($dynamicAnchor, schema)
      own.dynamic.set($dynamicAnchor, schema)
    }
    if (schema.unevaluatedItems !== undefined || schema.unevaluatedProperties !== undefined) this.isTracked = true
    const go = (inner: unknown, ...at: readonly string[]): void => {
      if (isObject(inner)) this.#walk(inner, own, `${pointer}/${at.join('/')}`)
    }
    for (const keyword of [...ONE, ...REST]) go(schema[keyword], keyword)
    for (const keyword of LISTS)
      for (const [n, inner] of ((schema[keyword] ?? []) as readonly Schema[]).entries()) go(inner, keyword, String(n))
    for (const keyword of MAPS)
      for (const [name, inner] of Object.entries(schema[keyword] ?? {})) go(inner, keyword, name)
  }
}

const ANY_SCHEMA: JsonObject = { type: ['object', 'boolean'] }

const resolved = (ref: string, base: string): string | undefined =>
  URL.canParse(ref, base) ? new URL(ref, base).href : undefined

function decoded(fragment: string): string {
  try {
    return decodeURIComponent(fragment)
  } catch {
    return fragment
  }
}
