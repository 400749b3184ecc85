import { compileExpression, compileScript } from '../../expression/expression.ts'

/** What the names of an Elsa script mean in the new document; `undefined`: nothing that is known. */
export interface ScriptNames {
  variable(name: string): string | undefined
  getter(name: string): string | undefined
  /** Id of the activity of this name. */
  activity(name: string): string | undefined
}

/** Calls and members that read something, and texts, which are passed over; the rest of a script may only combine them. */
const READS =
  /(?<![.\w])(?:getVariable\(\s*(['"])([^'"\\]*)\1\s*\)|getInput\(\s*(['"])([^'"\\]*)\3\s*\)|getOutputFrom\(\s*(['"])([^'"\\]*)\5\s*\)|getCorrelationId\(\s*\)|variables\.([A-Za-z_]\w*)|get([A-Z]\w*)\(\s*\))|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"/g

const NAME = /(?<![\w$.])[A-Za-z_$][\w$]*/g
const WORDS: ReadonlySet<string> = new Set(['true', 'false', 'null', 'undefined'])
const HARMLESS = /^[\s\w$.+\-*/%<>=!&|?:()[\],]*$/

/**
 * An Elsa JavaScript expression as one of ours, when it only reads variables, inputs and outputs and compares or adds
 * them. `undefined`: it does more than that, and a person has to look at it.
 */
export function translateScript(source: string, names: ScriptNames): string | undefined {
  // Taken for the places below.
  if (source.includes('$')) return undefined
  const pieces: (string | undefined)[] = []
  const rest = source
    .trim()
    .replace(/^return\b/, '')
    .replace(/;$/, '')
    .replace(READS, (all, _q1, variable, _q2, input, _q3, output, member, getter) => {
      const isText = /^['"]/.test(all)
      return `$${pieces.push(isText ? all : readOf(names, { variable: variable ?? member, input, output, getter })) - 1}`
    })
  if (pieces.includes(undefined) || !isCombination(rest)) return undefined
  const translated = rest.replace(/\$(\d+)/g, (_, place) => pieces[Number(place)]!).trim()
  try {
    compileExpression(translated)
    return translated
  } catch {
    return undefined
  }
}

/** Ways to give a variable another value: by its name, and by a function of its own. */
const WRITES = /(?<![.\w])(?:setVariable\(\s*(['"])([^'"\\]*)\1\s*,|set([A-Z]\w*)\()/g
/** What else Elsa lends its scripts; and the assignments that it watches. */
const LENT =
  /(?<![.\w])(?:(?:get|set)(?!Variable\(|Outcome\()[A-Z]\w*|newGuid\w*|newShortGuid|parseGuid|isNullOr\w+|to(?:Json|Guid|Base64)|bytes[A-Z]\w*|string(?:To|From)\w+|stream[A-Z]\w*)\(|(?<![.\w])variables\s*[.[]/

/** Statements of an Elsa script as those of ours, when they only read and set what both know. `undefined`: they do more. */
export function translateStatements(source: string, names: ScriptNames): string | undefined {
  const expression = translateScript(source, names)
  if (expression !== undefined) return `return ${expression}`
  let isKnown = true
  const known = (text: string | undefined): string => {
    isKnown &&= text !== undefined
    return text ?? ''
  }
  const translated = source
    .replace(READS, (all, _q1, variable, _q2, input, _q3, output, member, getter, at: number) => {
      if (/^['"]/.test(all) || isAssigned(source, at + all.length)) return all
      return known(readOf(names, { variable: variable ?? member, input, output, getter }))
    })
    .replace(WRITES, (all, _quote, variable, setter) => {
      if (setter === 'Variable' || setter === 'Outcome') return all
      const read = known(setter === undefined ? names.variable(variable) : names.getter(setter))
      return `setVariable(${JSON.stringify(read.replace(/^vars\./, ''))},${setter === undefined ? '' : ' '}`
    })
  if (!isKnown || LENT.test(translated)) return undefined
  try {
    compileScript(translated)
    return translated
  } catch {
    return undefined
  }
}

const isAssigned = (source: string, at: number): boolean =>
  /^\s*(?:[-+*/%&|^]|\*\*|<<|>>>?|&&|\|\||\?\?)?=(?!=)/.test(source.slice(at))

/** Operators, numbers, members and places, but no calls, assignments or other names. */
function isCombination(rest: string): boolean {
  if (!HARMLESS.test(rest) || /[^=!<>]=[^=>]/.test(rest) || /=>|\+\+|--|[\w$)\]]\s*\(|\/[/*]/.test(rest)) return false
  return [...rest.matchAll(NAME)].every(([name]) => WORDS.has(name) || /^\$\d+$/.test(name))
}

interface Read {
  readonly variable: string | undefined
  readonly input: string | undefined
  readonly output: string | undefined
  readonly getter: string | undefined
}

function readOf(names: ScriptNames, { variable, input, output, getter }: Read): string | undefined {
  if (variable !== undefined) return names.variable(variable)
  if (input !== undefined) return memberOf('input', input)
  if (output !== undefined) {
    const id = names.activity(output)
    return id === undefined ? undefined : `${memberOf('steps', id)}.output`
  }
  return getter === undefined ? 'correlationId' : names.getter(getter)
}

export function memberOf(root: string, name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? `${root}.${name}` : `${root}[${JSON.stringify(name)}]`
}
