/** JSON Schema as TypeScript. What a schema cannot say in types (limits, patterns, formats) is left out. */
export function typeOf(schema, depth = 0) {
  if (schema === undefined || typeof schema !== 'object') return 'unknown'
  if (schema.$ref !== undefined) return schema.$ref.split('/').at(-1)
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum !== undefined) return union([...schema.enum.map((each) => JSON.stringify(each)), ...orNull(schema)])
  const choices = schema.anyOf ?? schema.oneOf
  if (choices !== undefined) return union(choices.map((each) => typeOf(each, depth)))
  if (Array.isArray(schema.type)) return union(schema.type.map((type) => typeOf({ ...schema, type }, depth)))
  switch (schema.type) {
    case 'string':
      return 'string'
    case 'integer':
    case 'number':
      return 'number'
    case 'boolean':
      return 'boolean'
    case 'null':
      return 'null'
    case 'array':
      return `readonly ${grouped(typeOf(schema.items, depth))}[]`
    case 'object':
      return objectOf(schema, depth)
    default:
      return 'unknown'
  }
}

const orNull = ({ type }) => (Array.isArray(type) && type.includes('null') ? ['null'] : [])

const grouped = (type) => (/^[\w]+$/.test(type) ? type : `(${type})`)

function union(types) {
  const all = [...new Set(types)]
  return all.includes('unknown') ? 'unknown' : all.join(' | ')
}

function objectOf({ properties = {}, required = [], additionalProperties, patternProperties }, depth) {
  const names = Object.keys(properties)
  const open = additionalProperties === true || patternProperties !== undefined
  const others =
    typeof additionalProperties === 'object' ? typeOf(additionalProperties, depth) : open ? 'unknown' : undefined
  if (names.length === 0) return `Readonly<Record<string, ${others ?? 'unknown'}>>`
  const lines = names.map((name) => memberOf(name, properties[name], required.includes(name), depth + 1))
  const shape = `{\n${lines.join('')}${'  '.repeat(depth)}}`
  return others === undefined ? shape : `${shape} & Readonly<Record<string, unknown>>`
}

export function memberOf(name, schema, isRequired, depth) {
  const indent = '  '.repeat(depth)
  const about = schema?.description
  const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : `'${name}'`
  const note = about === undefined ? '' : `${indent}/** ${about.replaceAll('*/', '* /').replaceAll('\n', ' ')} */\n`
  // A caller may have a value or not: `undefined` is as good as leaving it out.
  const type = typeOf(schema, depth)
  const value = isRequired || type === 'unknown' ? type : `${type} | undefined`
  return `${note}${indent}readonly ${key}${isRequired ? '' : '?'}: ${value}\n`
}
