// The in-process evaluator: compiles the part of JavaScript that has one answer in every engine into closures over plain
// data. It never looks at a prototype, has no function values and no statements, and whatever it is not sure of it
// leaves to the sandbox, either while compiling (`undefined`) or while evaluating (`LEAVE`).

import type { Expression, Literal, MemberExpression, ObjectExpression, Property, TemplateLiteral } from 'acorn'
import type { ExpressionScope, ScopeName } from '../scope.ts'
import { isScopeName } from '../scope.ts'
import { toKey, toText } from './coerce.ts'
import { compileCall, compileSpread, staticName } from './compile-call.ts'
import { type CompileContext, Refused, refused } from './context.ts'
import { type Code, type Frame, LEAVE, LONGEST_TEXT, spend, spendText, WORK } from './frame.ts'
import { CONSTANTS } from './functions.ts'
import { BINARY, UNARY } from './operators.ts'
import { defineMember, readProperty, SHORT } from './property.ts'

/** Every level of the tree is a call on the host's stack. */
const DEEPEST = 300

/** `LEAVE` when this scope takes the expression out of the subset. */
export type PureProgram = (scope: ExpressionScope) => unknown

/** `undefined`: not of the subset. */
export function compilePure(tree: Expression): PureProgram | undefined {
  const context: CompileContext = { locals: new Map(), counter: { nodes: 0, places: 0 }, depth: 0 }
  try {
    const code = compile(tree, context)
    const { places } = context.counter
    return (scope) => run(code, { scope, locals: new Array<unknown>(places), work: WORK })
  } catch (error) {
    if (error instanceof Refused) return undefined
    throw error
  }
}

function run(code: Code, frame: Frame): unknown {
  try {
    return code(frame)
  } catch (error) {
    // The host's own stack or string length: the sandbox has better limits for both.
    if (error === LEAVE || error instanceof RangeError) return LEAVE
    throw error
  }
}

function compile(node: Expression, outer: CompileContext): Code {
  outer.counter.nodes++
  const context = { ...outer, depth: outer.depth + 1 }
  if (context.depth > DEEPEST) throw refused('deep nesting')
  switch (node.type) {
    case 'Literal':
      return compileLiteral(node)
    case 'Identifier':
      return compileName(node.name, context)
    case 'ParenthesizedExpression':
      return compile(node.expression, context)
    case 'TemplateLiteral':
      return compileTemplate(node, context)
    case 'ArrayExpression':
      return compileList(node.elements, context)
    case 'ObjectExpression':
      return compileObject(node, context)
    case 'UnaryExpression':
      return compileUnary(UNARY[node.operator], compile(node.argument, context))
    case 'BinaryExpression':
      if (node.left.type === 'PrivateIdentifier') throw refused('private names')
      return compileBinary(BINARY[node.operator], compile(node.left, context), compile(node.right, context))
    case 'LogicalExpression':
      return compileLogical(node.operator, compile(node.left, context), compile(node.right, context))
    case 'ConditionalExpression':
      return compileChoice(
        compile(node.test, context),
        compile(node.consequent, context),
        compile(node.alternate, context),
      )
    case 'SequenceExpression':
      return compileSequence(node.expressions.map((part) => compile(part, context)))
    case 'ChainExpression':
      return endChain(compile(node.expression, context))
    case 'MemberExpression':
      return compileMember(node, context)
    case 'CallExpression':
      return compileCall(node, context, compile)
    default:
      throw refused(node.type)
  }
}

function compileLiteral({ value, regex, bigint }: Literal): Code {
  if (regex !== undefined || bigint !== undefined) throw refused('regular expressions and numbers without limit')
  return () => value
}

function compileName(name: string, context: CompileContext): Code {
  const place = context.locals.get(name)
  if (place !== undefined) return (frame) => frame.locals[place]
  if (isScopeName(name)) return readRoot(name)
  if (!CONSTANTS.has(name)) throw refused(`the name ${name}`)
  const value = CONSTANTS.get(name)
  return () => value
}

function readRoot(name: ScopeName): Code {
  return (frame) => frame.scope[name]
}

function compileTemplate(node: TemplateLiteral, context: CompileContext): Code {
  const texts = node.quasis.map((quasi) => quasi.value.cooked ?? '')
  const codes = node.expressions.map((part) => compile(part, context))
  return (frame) => {
    // All values before the first conversion, as QuickJS does: it decides which of two errors is seen.
    const values = codes.map((code) => code(frame))
    let text = texts[0]!
    for (let index = 0; index < values.length; index++) {
      text += toText(values[index], frame) + texts[index + 1]!
      if (text.length > LONGEST_TEXT) throw LEAVE
    }
    spendText(frame, text.length)
    return text
  }
}

function compileList(
  elements: Extract<Expression, { type: 'ArrayExpression' }>['elements'],
  context: CompileContext,
): Code {
  return compileSpread(
    elements.map((element) => element ?? refuseHole()),
    Number.POSITIVE_INFINITY,
    context,
    compile,
  )
}

function refuseHole(): never {
  throw refused('arrays with holes')
}

type Member = (target: Record<string, unknown>, frame: Frame) => void

function compileObject(node: ObjectExpression, context: CompileContext): Code {
  const members = node.properties.map((property): Member => {
    if (property.type !== 'SpreadElement') return compileProperty(property, context)
    const code = compile(property.argument, context)
    return (target, frame) => spreadMembers(target, code(frame), frame)
  })
  return (frame) => {
    const target: Record<string, unknown> = {}
    for (const member of members) member(target, frame)
    return target
  }
}

/** Arrays spread into their indexes, numbers and nothing into nothing. QuickJS does not spread strings as it should. */
function spreadMembers(target: Record<string, unknown>, source: unknown, frame: Frame): void {
  if (typeof source === 'string') throw LEAVE
  for (const [key, value] of Object.entries(source ?? {})) {
    spend(frame, 1)
    defineMember(target, key, value)
  }
}

function compileProperty(property: Property, context: CompileContext): Member {
  if (property.kind !== 'init' || property.method) throw refused('accessors and methods')
  const value = compile(property.value, context)
  if (property.computed) {
    const key = compile(property.key, context)
    return (target, frame) => {
      const made = key(frame)
      const held = value(frame)
      defineMember(target, toKey(made, frame), held)
    }
  }
  const { key } = property
  const name = key.type === 'Identifier' ? key.name : key.type === 'Literal' ? literalKey(key.value) : undefined
  if (name === undefined || (name === '__proto__' && !property.shorthand)) throw refused('a change of prototype')
  return (target, frame) => defineMember(target, name, value(frame))
}

function literalKey(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined
}

function compileUnary(operator: (typeof UNARY)[keyof typeof UNARY], value: Code): Code {
  if (operator === undefined) throw refused('delete')
  return (frame) => operator(value(frame), frame)
}

function compileBinary(operator: (typeof BINARY)[keyof typeof BINARY], left: Code, right: Code): Code {
  if (operator === undefined) throw refused('an operator that engines round differently')
  return (frame) => operator(left(frame), right(frame), frame)
}

function compileLogical(operator: '||' | '&&' | '??', left: Code, right: Code): Code {
  switch (operator) {
    case '||':
      return (frame) => left(frame) || right(frame)
    case '&&':
      return (frame) => left(frame) && right(frame)
    case '??':
      return (frame) => left(frame) ?? right(frame)
  }
}

function compileChoice(test: Code, yes: Code, no: Code): Code {
  return (frame) => (test(frame) ? yes(frame) : no(frame))
}

function compileSequence(parts: readonly Code[]): Code {
  return (frame) => parts.map((part) => part(frame)).at(-1)
}

function endChain(chain: Code): Code {
  return (frame) => {
    const value = chain(frame)
    return value === SHORT ? undefined : value
  }
}

function compileMember(node: MemberExpression, context: CompileContext): Code {
  const constant = staticName(node, context)
  if (constant !== undefined) return compileName(constant, context)
  if (node.object.type === 'Super' || node.property.type === 'PrivateIdentifier') throw refused('classes')
  const object = compile(node.object, context)
  const { optional } = node
  if (node.computed) {
    const key = compile(node.property, context)
    return (frame) => {
      const value = object(frame)
      if (value === SHORT || (optional && (value === null || value === undefined))) return SHORT
      return readProperty(value, toKey(key(frame), frame))
    }
  }
  const name = (node.property as Extract<Expression, { type: 'Identifier' }>).name
  return (frame) => {
    const value = object(frame)
    if (optional && (value === null || value === undefined)) return SHORT
    return readProperty(value, name)
  }
}
