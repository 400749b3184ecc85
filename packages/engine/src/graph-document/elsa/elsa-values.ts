import { isJsonObject, type Json } from '@lockstep/base'
import { containsExpression } from '../../graph/input-template.ts'
import type { Conversion } from './conversion.ts'
import type { ElsaJson } from './elsa-json.ts'
import { memberOf, translateScript } from './elsa-script.ts'
import { literalOf, typeOf } from './elsa-variables.ts'

/** Who asks: notes name it. */
export interface Asker {
  readonly activityId: string
  /** Whether a for-each is around it, whose `CurrentValue` is our `item`. */
  readonly isInLoop: boolean
}

/** An input of an Elsa activity as a value of ours. `undefined`: it has none. */
export function inputValue(conversion: Conversion, input: ElsaJson, asker: Asker): Json | undefined {
  if (!input.exists) return undefined
  const expression = input.get('expression')
  // Short forms: a bare literal, or the expression as text with its language as type.
  if (input.object === undefined) return literal(conversion, input, input.value!, undefined, asker)
  if (expression.text !== undefined)
    return convert(conversion, expression, input.get('typeName').text ?? 'Literal', expression.text, undefined, asker)
  return expressionOf(conversion, expression, asker, input.get('typeName').text)
}

/** An expression without an input around it, as the cases of a switch have them. */
export function expressionOf(
  conversion: Conversion,
  expression: ElsaJson,
  asker: Asker,
  typeName?: string,
): Json | undefined {
  if (expression.object === undefined) return undefined
  const { value = null } = expression.get('value')
  return convert(conversion, expression, expression.get('type').text ?? 'Literal', value, typeName, asker)
}

function convert(
  conversion: Conversion,
  place: ElsaJson,
  language: string,
  value: Json,
  typeName: string | undefined,
  asker: Asker,
): Json {
  switch (language) {
    case 'Literal':
      return literal(conversion, place, value, typeName, asker)
    case 'Object':
    case 'Json': {
      const parsed = literalOf(value, 'object')
      return parsed === undefined
        ? refuse(conversion, place, language, String(value), asker)
        : literal(conversion, place, parsed, undefined, asker)
    }
    case 'Variable': {
      const named = isJsonObject(value) ? (value.name ?? value.id) : value
      const read = typeof named === 'string' ? variableRead(conversion, named, asker) : undefined
      return read === undefined ? refuse(conversion, place, language, JSON.stringify(value), asker) : { $expr: read }
    }
    case 'Input': {
      const name = isJsonObject(value) ? value.name : value
      return typeof name === 'string'
        ? { $expr: memberOf('input', name) }
        : refuse(conversion, place, language, JSON.stringify(value), asker)
    }
    case 'JavaScript': {
      const translated = typeof value === 'string' ? translateScript(value, scriptNames(conversion, asker)) : undefined
      return translated === undefined
        ? refuse(conversion, place, language, String(value), asker)
        : { $expr: translated }
    }
    default:
      return refuse(conversion, place, language, typeof value === 'string' ? value : JSON.stringify(value), asker)
  }
}

function literal(
  conversion: Conversion,
  place: ElsaJson,
  value: Json,
  typeName: string | undefined,
  asker: Asker,
): Json {
  if (containsExpression(value)) return refuse(conversion, place, 'Literal', JSON.stringify(value), asker)
  const type = typeOf(typeName)
  return (type === 'boolean' || type === 'number' || type === 'integer' ? literalOf(value, type) : value) ?? value
}

export function scriptNames(conversion: Conversion, asker: Asker) {
  return {
    variable: (name: string) => variableRead(conversion, name, asker),
    getter: (name: string) => {
      const variable = conversion.variables.ofGetter(name)
      return variable === undefined ? loopRead(name, asker) : `vars.${variable}`
    },
    activity: (name: string) => conversion.activityIds.get(name),
  }
}

function variableRead(conversion: Conversion, name: string, asker: Asker): string | undefined {
  const variable = conversion.variables.named(name)
  return variable === undefined ? loopRead(name, asker) : `vars.${variable}`
}

function loopRead(name: string, { isInLoop }: Asker): string | undefined {
  if (!isInLoop) return undefined
  return name === 'CurrentValue' ? 'item' : name === 'CurrentIndex' ? 'index' : undefined
}

/** Not a guess, and nothing that could run: an expression that cannot be read, with the old text for whoever replaces it. */
function refuse(
  conversion: Conversion,
  place: ElsaJson,
  language: string,
  source: string,
  { activityId }: Asker,
): Json {
  const isScript = language === 'JavaScript'
  conversion.note({
    pointer: place.pointer,
    elsaType: language,
    kind: 'not-mapped',
    reason: isScript
      ? 'The script does more than read and compare variables, inputs and outputs'
      : `Expressions in ${language} have no counterpart, or name something that is not there`,
    suggestion: isScript
      ? 'Rewrite it over input, vars and steps, or move it into a "script" activity'
      : 'Write it as an expression over input, vars and steps',
    activityId,
  })
  return { $expr: `/* ${language}: ${source.slice(0, 1_000).replaceAll('*/', '* /')} */` }
}
