// Turns source into the very text that the sandbox will run, and reads that text once with acorn. Because the text is
// checked as a whole, source that closes our brackets and opens its own is refused here and never reaches the sandbox.

import type { AnyNode, ArrowFunctionExpression, Comment, Expression, Options, Program } from 'acorn'
import { DEEPEST, parseBounded, TooDeep } from './bounded-parser.ts'
import { ExpressionInvalid, shownSource } from './errors.ts'
import { SOURCE_LENGTH } from './limits.ts'
import { eachChild, findReferences } from './references.ts'
import { SCOPE_NAMES } from './scope.ts'

/** An expression is a value; a script is the body of a function and answers what it returns. */
export type ProgramKind = 'expression' | 'script'

export interface ParsedProgram {
  readonly source: string
  /** A function expression of the names of the scope, in strict mode. */
  readonly text: string
  /** The value of an expression; for a script, the function whose body it is. */
  readonly tree: Expression
  readonly references: readonly string[]
}

/** What stands around the source in the text. */
interface Wrapping {
  readonly head: string
  readonly tail: string
}

const OPEN = `(function (${SCOPE_NAMES.join(', ')}) { "use strict"; return (`
const WRAPPINGS: Readonly<Record<ProgramKind, Wrapping>> = {
  expression: { head: `${OPEN}\n`, tail: '\n) })' },
  // An inner function, so that a script may declare names of its own that are also names of the scope.
  script: { head: `${OPEN}() => {\n`, tail: '\n})() })' },
}
const TOO_DEEP = 'it is nested too deeply'
const ACORN: Options = { ecmaVersion: 2024, sourceType: 'script', preserveParens: true, locations: false }

export function parseProgram(source: string, kind: ProgramKind): ParsedProgram {
  const around = WRAPPINGS[kind]
  if (source.length > SOURCE_LENGTH) refuse(source, 0, `it is longer than ${SOURCE_LENGTH} characters`)
  const lone = /\p{Surrogate}/u.exec(source)
  if (lone) refuse(source, lone.index, 'it holds half of a surrogate pair: write it as an escape')

  const text = around.head + source + around.tail
  const tree = innerTree(readProgram(source, text, around), text, around, kind)
  if (tree === undefined) refuse(source, source.length, 'its brackets do not match')
  if (isTooDeep(tree)) refuse(source, 0, TOO_DEEP)
  return { source, text, tree, references: findReferences(tree) }
}

/** Measured on the tree: the same text is refused or taken wherever it is read. */
function isTooDeep(tree: AnyNode): boolean {
  let level = [tree]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > DEEPEST) return true
    const next: AnyNode[] = []
    for (const node of level) eachChild(node, (child) => next.push(child))
    level = next
  }
  return false
}

function readProgram(source: string, text: string, around: Wrapping): Program {
  const comments: Comment[] = []
  let program: Program
  try {
    program = parseBounded(text, { ...ACORN, onComment: comments })
  } catch (error) {
    if (error instanceof TooDeep) refuse(source, 0, TOO_DEEP)
    if (!(error instanceof SyntaxError)) throw error
    const at = (error as SyntaxError & { pos: number }).pos - around.head.length
    if (/stack space/.test(error.message)) refuse(source, 0, TOO_DEEP)
    const reason = at >= source.length ? 'it ends too early' : error.message.replace(/ \(\d+:\d+\)$/, '')
    refuse(source, at, reason)
  }
  // Engines disagree on these two, and nobody means them.
  const odd = comments.find(({ start }) => text[start] !== '/')
  if (odd) refuse(source, odd.start - around.head.length, '"<!--" and "-->" are not comments here')
  return program
}

/** What stands between head and tail, or `undefined` when the tree does not have exactly their shape around it. */
function innerTree(program: Program, text: string, around: Wrapping, kind: ProgramKind): Expression | undefined {
  const [statement, ...others] = program.body
  if (others.length > 0 || statement?.type !== 'ExpressionStatement') return undefined
  const outer = unwrap(statement.expression, 0, text.length)
  if (outer?.type !== 'FunctionExpression') return undefined
  const [, last, ...more] = outer.body.body
  if (more.length > 0 || last?.type !== 'ReturnStatement' || !last.argument) return undefined
  const open = OPEN.length - 1
  if (kind === 'expression') return unwrap(last.argument, open, text.length - ' })'.length)
  if (last.argument.type !== 'CallExpression' || last.argument.callee.type === 'Super') return undefined
  const inner = unwrap(last.argument.callee, open, text.length - '() })'.length)
  return isWhole(inner, text, around) ? inner : undefined
}

function unwrap(node: Expression, start: number, end: number): Expression | undefined {
  return node.type === 'ParenthesizedExpression' && node.start === start && node.end === end
    ? node.expression
    : undefined
}

function isWhole(node: Expression | undefined, text: string, around: Wrapping): node is ArrowFunctionExpression {
  return (
    node?.type === 'ArrowFunctionExpression' &&
    node.start === OPEN.length &&
    node.body.start === around.head.length - '{\n'.length &&
    node.body.end === text.length - around.tail.length + '\n}'.length
  )
}

function refuse(source: string, at: number, reason: string): never {
  const before = source.slice(0, Math.max(0, Math.min(at, source.length))).split(/\r\n|[\n\r\u2028\u2029]/)
  throw new ExpressionInvalid({
    expression: shownSource(source),
    line: before.length,
    column: (before.at(-1)?.length ?? 0) + 1,
    reason,
  })
}
