// biome-ignore-all lint/suspicious/noTemplateCurlyInString: some hostile texts look like templates
import fc from 'fast-check'

export type Schema = Readonly<Record<string, unknown>>

/** Texts that break things where somebody was careless. */
export const hostileTexts: readonly string[] = [
  ...['', ' ', '\0', 'a\0b', '\u202e', '\ud800', '\u2028', '💥'.repeat(50), 'x'.repeat(300), 'x'.repeat(70_000)],
  ...['__proto__', 'constructor', 'prototype', 'toString', 'null', 'undefined', 'NaN', 'true', '0', '-1', '1e999'],
  ...["'; drop table instance; --", "' or '1'='1", '$1', '{{7*7}}', '${7*7}', '%00', '%2e%2e%2f', '../../etc/passwd'],
  ...[
    '<script>alert(1)</script>',
    'http://127.0.0.1/',
    'file:///etc/passwd',
    '9999-99-99T99:99:99Z',
    '-P1Y',
    '99999999d',
  ],
  ...['wfi_00000000-0000-0000-0000-000000000000', 'wfi_', 'key_', '(a+)+$', '*', '**', '/', '\\', '\r\nx: y'],
]
const hostileNumbers = [0, -0, -1, 1, 1.5, 2 ** 31, -(2 ** 31), 2 ** 53, -(2 ** 63), 1e308, 1e-320]

export const hostile: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(...hostileTexts),
  fc.constantFrom(...hostileNumbers),
  fc.constantFrom(null, true, false, [], {}, [[]], [null], { a: { b: { c: {} } } }),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom(50, 400, 600).map((depth) => nested(depth)),
)

function nested(depth: number): unknown {
  let value: unknown = 1
  for (let level = 0; level < depth; level += 1) value = level % 2 === 0 ? [value] : { a: value }
  return value
}

/** Values that a schema describes, as well as it can be told without solving its patterns: `texts` are what usually fits. */
export function valuesOf(schema: Schema, all: Schema, texts: readonly string[], depth = 0): fc.Arbitrary<unknown> {
  const within = (inner: unknown): fc.Arbitrary<unknown> =>
    depth > 5 ? fc.constant(null) : valuesOf((inner ?? {}) as Schema, all, texts, depth + 1)
  if (typeof schema.$ref === 'string') return within(at(all, schema.$ref))
  if (Array.isArray(schema.enum)) return fc.constantFrom(...schema.enum)
  if ('const' in schema) return fc.constant(schema.const)
  for (const key of ['anyOf', 'oneOf'])
    if (Array.isArray(schema[key])) return fc.oneof(...(schema[key] as Schema[]).map(within))
  if (Array.isArray(schema.allOf)) return within(Object.assign({}, ...(schema.allOf as Schema[])))
  if (Array.isArray(schema.type)) return fc.oneof(...schema.type.map((type) => within({ ...schema, type })))
  switch (schema.type) {
    case 'string':
      return fc.constantFrom(...texts)
    case 'integer':
    case 'number': {
      const { minimum = 0, maximum = 1_000 } = schema as { readonly minimum?: number; readonly maximum?: number }
      return fc.integer({ min: Math.ceil(minimum), max: Math.max(Math.ceil(minimum), Math.min(maximum, 10_000)) })
    }
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    case 'array':
      return fc.array(within(schema.items), { minLength: Math.min(Number(schema.minItems ?? 0), 3), maxLength: 3 })
    case 'object':
      return objectOf(schema, within)
    default:
      return fc.jsonValue({ maxDepth: 2 })
  }
}

function objectOf(schema: Schema, within: (inner: unknown) => fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const properties = (schema.properties ?? {}) as Record<string, Schema>
  const required = (schema.required ?? []) as string[]
  // How long a request may wait is no matter of this test.
  const members = Object.entries(properties).map(([name, each]) => [
    name,
    /^wait/.test(name) ? fc.constantFrom('1ms', 'soon') : within(each),
  ])
  const requiredKeys = required.filter((name) => name in properties)
  const record = fc.record(Object.fromEntries(members) as Record<string, fc.Arbitrary<unknown>>, { requiredKeys })
  const more = schema.additionalProperties
  if (typeof more !== 'object' || more === null) return record
  return fc
    .tuple(record, fc.dictionary(fc.constantFrom('a', 'b-c', 'x_1'), within(more), { maxKeys: 2 }))
    .map(([own, others]) => ({ ...others, ...(own as object) }))
}

function at(document: Schema, reference: string): unknown {
  return reference
    .split('/')
    .slice(1)
    .reduce<unknown>((value, part) => (value as Schema)[part.replaceAll('~1', '/').replaceAll('~0', '~')], document)
}

/** A value of which one place is something else, gone, or too many. */
export function mutated(values: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc
    .tuple(values, hostile, fc.nat(), fc.nat(3))
    .map(([value, other, place, how]) => change(value, other, place, how))
}

function change(value: unknown, other: unknown, place: number, how: number): unknown {
  if (typeof value !== 'object' || value === null) return other
  const keys = Object.keys(value)
  if (how === 0) return Array.isArray(value) ? [...value, other] : { ...value, strange: other }
  const key = keys[place % Math.max(1, keys.length)]
  if (key === undefined) return other
  if (Array.isArray(value)) return value.map((item, index) => (String(index) === key ? other : item))
  const { [key]: member, ...rest } = value as Record<string, unknown>
  if (how === 1) return rest
  return { ...rest, [key]: how === 2 ? other : change(member, other, place >> 3, how) }
}
