/** JSON schemas of inputs and outputs, as readers see them. */

const FORMATS = { 'lockstep-duration': 'duration', 'lockstep-instant': 'instant' }
const NAMES = { string: 'text', array: 'list', object: 'object', integer: 'whole number', null: 'null' }

/** `text`, `list of text`, `"a" or "b"`, `duration`. */
export function typeText(schema) {
  if (schema.anyOf) return [...new Set(schema.anyOf.map(typeText))].join(' or ')
  if (schema.format in FORMATS) return FORMATS[schema.format]
  if (schema.enum) return schema.enum.map((each) => `\`${each}\``).join(', ')
  if (schema.const !== undefined) return `\`${schema.const}\``
  const types = [schema.type ?? []].flat()
  if (types.length === 0) return 'any value'
  if (types.join() === 'object,boolean') return 'JSON schema'
  if (types.join() === 'array') return hasShape(schema.items) ? `list of ${typeText(schema.items)}` : 'list'
  if (types.join() === 'object' && schema.properties?.secret) return '`{ secret, prefix }`'
  if (types.join() === 'object' && schema.patternProperties) {
    const [value] = Object.values(schema.patternProperties)
    return hasShape(value) ? `object of ${typeText(value)}` : 'object'
  }
  return types.map((each) => NAMES[each] ?? each).join(' or ')
}

/** What a value may not exceed, in words. Empty where there is no bound. */
export function limitText(schema) {
  const found = [
    range(schema.minimum, schema.maximum, ''),
    range(schema.minLength, schema.maxLength, ' characters'),
    range(schema.minItems, schema.maxItems, ' items'),
    range(schema.minProperties, schema.maxProperties, ' members'),
    schema.uniqueItems ? 'each once' : '',
    schema.pattern ? `matches \`${schema.pattern}\`` : '',
    schema.propertyNames?.pattern ? `names match \`${schema.propertyNames.pattern}\`` : '',
    schema.type === 'array' && schema.items?.pattern ? `each matches \`${schema.items.pattern}\`` : '',
  ]
  for (const each of schema.anyOf ?? []) found.push(limitText(each))
  if (schema.format in FORMATS) found.shift() // a duration is never negative
  return [...new Set(found.filter((each) => each !== ''))].join(', ')
}

/** The members of an object, those of objects and lists in it after them: `cases[].outcome`. */
export function members(schema, prefix = '') {
  return Object.entries(schema.properties ?? {}).flatMap(([name, value]) => {
    const own = { name: `${prefix}${name}`, schema: value, required: (schema.required ?? []).includes(name) }
    if (value.properties && !value.properties.$expr) return [own, ...members(value, `${own.name}.`)]
    const inner = value.type === 'array' ? value.items : undefined
    return inner?.properties ? [own, ...members(inner, `${own.name}[].`)] : [own]
  })
}

function range(least, most, unit) {
  const text = (number) => number.toLocaleString('en')
  if (least !== undefined && most !== undefined) return `${text(least)} to ${text(most)}${unit}`
  if (most !== undefined) return `at most ${text(most)}${unit}`
  return least === undefined || (unit === '' && least === 0) ? '' : `at least ${text(least)}${unit}`
}

function hasShape(schema) {
  return schema !== undefined && (schema.type !== undefined || schema.anyOf !== undefined || schema.enum !== undefined)
}
