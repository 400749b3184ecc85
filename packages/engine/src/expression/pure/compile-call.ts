import type { ArrowFunctionExpression, CallExpression, Expression, MemberExpression, SpreadElement } from 'acorn'
import { toText } from './coerce.ts'
import { type Binding, type CompileContext, refused, withLocals } from './context.ts'
import { CALL_WORK, type Code, type Frame, LEAVE, spend, Thrown } from './frame.ts'
import { CONVERSIONS, FUNCTIONS } from './functions.ts'
import { CALLBACK_METHODS, LIST_METHODS, NUMBER_METHODS } from './list-methods.ts'
import type { Callback, CallbackMethod, Method } from './method.ts'
import { readProperty, SHORT } from './property.ts'
import { TEXT_METHODS } from './text-methods.ts'

type Compile = (node: Expression, context: CompileContext) => Code
type Arguments = (frame: Frame) => unknown[]

export function compileCall(node: CallExpression, context: CompileContext, compile: Compile): Code {
  const { callee } = node
  if (node.optional) throw refused('a call that is itself optional')
  const name = staticName(callee as Expression, context)
  if (name !== undefined) return compileFunction(name, node, context, compile)
  if (callee.type !== 'MemberExpression' || callee.computed || callee.property.type !== 'Identifier') {
    throw refused('a call of a value')
  }
  const method = callee.property.name
  const callback = CALLBACK_METHODS.get(method)
  return callback === undefined
    ? compileMethod(callee, method, node.arguments, context, compile)
    : compileCallbackMethod(callee, method, callback, node.arguments, context, compile)
}

/** `Math.max`, `Number`, but not where the name is a parameter of an arrow function. */
export function staticName(node: Expression, context: CompileContext): string | undefined {
  if (node.type === 'Identifier') return context.locals.has(node.name) ? undefined : globalName(node.name)
  if (node.type !== 'MemberExpression' || node.computed || node.optional) return undefined
  if (node.object.type !== 'Identifier' || context.locals.has(node.object.name)) return undefined
  return node.property.type === 'Identifier' ? namespaceName(node.object.name, node.property.name) : undefined
}

const NAMESPACES: readonly string[] = ['Math', 'Number', 'Array', 'Object', 'JSON']

function globalName(name: string): string | undefined {
  return FUNCTIONS.has(name) ? name : undefined
}

function namespaceName(namespace: string, member: string): string | undefined {
  return NAMESPACES.includes(namespace) ? `${namespace}.${member}` : undefined
}

function compileFunction(name: string, node: CallExpression, context: CompileContext, compile: Compile): Code {
  const target = FUNCTIONS.get(name)
  if (target === undefined) throw refused(`the function ${name}`)
  const args = compileArguments(node.arguments, target.most, context, compile)
  return (frame) => {
    spend(frame, CALL_WORK)
    return target.call(args(frame), frame)
  }
}

function compileMethod(
  callee: MemberExpression,
  name: string,
  nodes: CallExpression['arguments'],
  context: CompileContext,
  compile: Compile,
): Code {
  const onText = TEXT_METHODS.get(name)
  const onList = LIST_METHODS.get(name)
  const onNumber = NUMBER_METHODS.get(name)
  if (!onText && !onList && !onNumber) throw refused(`the method ${name}`)
  const receiverOf = compile(callee.object as Expression, context)
  const args = compileArguments(nodes, Number.POSITIVE_INFINITY, context, compile)
  const { optional } = callee
  return (frame) => {
    const receiver = receiverOf(frame)
    if (skips(receiver, optional, name)) return SHORT
    spend(frame, CALL_WORK)
    const values = args(frame)
    if (onText && typeof receiver === 'string') return invoke(onText, receiver, values, frame)
    if (onList && Array.isArray(receiver)) return invoke(onList, receiver, values, frame)
    if (onNumber && typeof receiver === 'number') return invoke(onNumber, receiver, values, frame)
    if (name === 'toString' && values.length === 0) return toText(receiver, frame)
    return notCallable(receiver, name)
  }
}

function invoke<Receiver>(method: Method<Receiver>, receiver: Receiver, values: unknown[], frame: Frame): unknown {
  if (values.length > method.most) throw LEAVE
  return method.call(receiver, values, frame)
}

function compileCallbackMethod(
  callee: MemberExpression,
  name: string,
  method: CallbackMethod,
  nodes: CallExpression['arguments'],
  context: CompileContext,
  compile: Compile,
): Code {
  const [first, ...others] = nodes
  const receiverOf = compile(callee.object as Expression, context)
  const callback = compileCallback(first, context, compile)
  const rest = compileArguments(others, method.most, context, compile)
  const { optional } = callee
  return (frame) => {
    const receiver = receiverOf(frame)
    if (skips(receiver, optional, name)) return SHORT
    const values = rest(frame)
    if (!Array.isArray(receiver)) return notCallable(receiver, name)
    return method.call(receiver, callback, values, frame)
  }
}

/** `true`: the chain ends here without a value. Throws where JavaScript cannot read a method of nothing. */
function skips(receiver: unknown, optional: boolean, name: string): boolean {
  if (receiver === SHORT) return true
  if (receiver !== null && receiver !== undefined) return false
  if (optional) return true
  throw new Thrown('TypeError', `cannot read "${name}" of ${receiver}`)
}

/** Data is never a function; a method that only the sandbox knows is left to it. */
function notCallable(receiver: unknown, name: string): never {
  readProperty(receiver, name)
  throw new Thrown('TypeError', `"${name}" is not a function`)
}

function compileCallback(
  node: Expression | SpreadElement | undefined,
  context: CompileContext,
  compile: Compile,
): Callback {
  if (node?.type === 'ParenthesizedExpression') return compileCallback(node.expression, context, compile)
  if (node?.type === 'ArrowFunctionExpression') return compileArrow(node, context, compile)
  const conversion =
    node?.type === 'Identifier' && !context.locals.has(node.name) ? CONVERSIONS.get(node.name) : undefined
  if (conversion === undefined) throw refused('a callback that is not an arrow function')
  return {
    call: (frame, first) => {
      spend(frame, 1)
      return conversion.call([first], frame)
    },
  }
}

function compileArrow(node: ArrowFunctionExpression, context: CompileContext, compile: Compile): Callback {
  if (node.async || node.body.type === 'BlockStatement') throw refused('a function with statements')
  const names = node.params.map((param) => {
    if (param.type !== 'Identifier') throw refused('a parameter that is a pattern')
    return param.name
  })
  const { inner, places } = withLocals(context, names)
  const before = inner.counter.nodes
  const body = compile(node.body, inner)
  const cost = 1 + inner.counter.nodes - before
  return bindArrow(body, cost, places)
}

function bindArrow(body: Code, cost: number, places: readonly Binding[]): Callback {
  const [one, two, three, four] = places
  if (places.length > 4) throw refused('a function of many parameters')
  return {
    call: (frame, first, second, third, fourth) => {
      spend(frame, cost)
      const { locals } = frame
      if (one !== undefined) locals[one] = first
      if (two !== undefined) locals[two] = second
      if (three !== undefined) locals[three] = third
      if (four !== undefined) locals[four] = fourth
      return body(frame)
    },
  }
}

export function compileArguments(
  nodes: CallExpression['arguments'],
  most: number,
  context: CompileContext,
  compile: Compile,
): Arguments {
  if (nodes.length > most) throw refused('more arguments than the function takes')
  if (nodes.some((node) => node.type === 'SpreadElement')) return compileSpread(nodes, most, context, compile)
  const codes = nodes.map((node) => compile(node as Expression, context))
  return (frame) => codes.map((code) => code(frame))
}

export function compileSpread(
  nodes: readonly (Expression | SpreadElement)[],
  most: number,
  context: CompileContext,
  compile: Compile,
): Arguments {
  const parts = nodes.map((node) =>
    node.type === 'SpreadElement'
      ? { code: compile(node.argument, context), spread: true }
      : { code: compile(node, context), spread: false },
  )
  return (frame) => {
    const values: unknown[] = []
    for (const { code, spread } of parts) {
      const value = code(frame)
      if (spread) for (const item of iterated(value, frame)) values.push(item)
      else values.push(value)
    }
    if (values.length > most) throw LEAVE
    return values
  }
}

function iterated(value: unknown, frame: Frame): Iterable<unknown> {
  if (!Array.isArray(value) && typeof value !== 'string') throw new Thrown('TypeError', 'the value is not iterable')
  spend(frame, value.length)
  return value
}
