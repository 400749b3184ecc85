// Finds which names of the scope a program uses. Never misses one (the sandbox is sent nothing else), and does not
// count a name that the program binds itself: `items.map((item) => item.id)` uses no `item`.

import type { AnyNode, Node, Pattern, VariableDeclaration } from 'acorn'
import { isScopeName, SCOPE_NAMES } from './scope.ts'

type Names = ReadonlySet<string>

/** Roots of the scope (`input`), `steps.<id>` where the step is named in the text, bare `steps` where it is computed. */
export function findReferences(program: AnyNode): readonly string[] {
  const found = new Set<string>()
  visit(program, new Set(), found)
  if (found.delete('arguments')) for (const name of SCOPE_NAMES) found.add(name)
  return [...found].sort()
}

function visit(node: AnyNode, bound: Names, found: Set<string>): void {
  switch (node.type) {
    case 'Identifier':
      note(node.name, bound, found)
      return
    case 'MemberExpression':
      visitMember(node, bound, found)
      return
    case 'Property':
    case 'PropertyDefinition':
    case 'MethodDefinition':
      if (node.computed) visit(node.key as AnyNode, bound, found)
      if (node.value) visit(node.value as AnyNode, bound, found)
      return
    case 'LabeledStatement':
      visit(node.body, bound, found)
      return
    case 'BreakStatement':
    case 'ContinueStatement':
    case 'MetaProperty':
      return
    default:
      visitChildren(node, withBindings(node, bound), found)
  }
}

function note(name: string, bound: Names, found: Set<string>): void {
  if (!bound.has(name) && (isScopeName(name) || name === 'arguments')) found.add(name)
}

type Member = Extract<AnyNode, { type: 'MemberExpression' }>

function visitMember(node: Member, bound: Names, found: Set<string>): void {
  const step = stepId(node, bound)
  if (step !== undefined) {
    found.add(`steps.${step}`)
    return
  }
  visit(node.object, bound, found)
  if (node.computed) visit(node.property, bound, found)
}

function stepId(node: Member, bound: Names): string | undefined {
  if (node.object.type !== 'Identifier' || node.object.name !== 'steps' || bound.has('steps')) return undefined
  if (!node.computed) return node.property.type === 'Identifier' ? node.property.name : undefined
  return node.property.type === 'Literal' && typeof node.property.value === 'string' ? node.property.value : undefined
}

function visitChildren(node: AnyNode, bound: Names, found: Set<string>): void {
  eachChild(node, (child) => visit(child, bound, found))
}

/** Calls, where a generator would read better: it walks every node of every program, and took longer than reading them. */
export function eachChild(node: AnyNode, take: (child: AnyNode) => void): void {
  for (const key in node) {
    const value: unknown = node[key as keyof AnyNode]
    if (typeof value !== 'object' || value === null) continue
    if (!Array.isArray(value)) {
      if (isNode(value)) take(value)
      continue
    }
    for (const child of value) if (isNode(child)) take(child)
  }
}

function isNode(value: unknown): value is AnyNode {
  return typeof value === 'object' && value !== null && typeof (value as Partial<Node>).type === 'string'
}

const BINDERS: ReadonlySet<AnyNode['type']> = new Set([
  'FunctionExpression',
  'FunctionDeclaration',
  'ArrowFunctionExpression',
  'ClassExpression',
  'ClassDeclaration',
  'CatchClause',
  'BlockStatement',
  'StaticBlock',
  'SwitchStatement',
  'ForStatement',
  'ForInStatement',
  'ForOfStatement',
] satisfies AnyNode['type'][])

/** `bound` and what `node` binds for everything inside it. */
function withBindings(node: AnyNode, bound: Names): Names {
  if (!BINDERS.has(node.type)) return bound
  const names = new Set<string>()
  bindNames(node, names)
  return names.size === 0 ? bound : new Set([...bound, ...names])
}

function bindNames(node: AnyNode, into: Set<string>): void {
  switch (node.type) {
    case 'FunctionExpression':
    case 'FunctionDeclaration':
      into.add('arguments')
      if (node.id) bind(node.id, into)
      bindFunction(node.params, node.body, into)
      return
    case 'ArrowFunctionExpression':
      bindFunction(node.params, node.body, into)
      return
    case 'ClassExpression':
    case 'ClassDeclaration':
      if (node.id) bind(node.id, into)
      return
    case 'CatchClause':
      if (node.param) bind(node.param, into)
      return
    case 'BlockStatement':
    case 'StaticBlock':
      for (const statement of node.body) bindLexical(statement, into)
      return
    case 'SwitchStatement':
      for (const branch of node.cases) for (const statement of branch.consequent) bindLexical(statement, into)
      return
    case 'ForStatement':
      if (node.init?.type === 'VariableDeclaration') bindDeclared(node.init, into)
      return
    case 'ForInStatement':
    case 'ForOfStatement':
      if (node.left.type === 'VariableDeclaration') bindDeclared(node.left, into)
  }
}

// Defaults of parameters do not see the `var`s of the body. Where there may be defaults those are left out: a reference
// too many is harmless, one too few is not.
function bindFunction(params: readonly Pattern[], body: AnyNode, into: Set<string>): void {
  for (const param of params) bind(param, into)
  if (params.every((param) => param.type === 'Identifier')) bindHoisted(body, into)
}

/** `var` names anywhere in a function body, but not in the functions inside it. */
function bindHoisted(node: AnyNode, into: Set<string>): void {
  if (node.type === 'VariableDeclaration' && node.kind === 'var') bindDeclared(node, into)
  eachChild(node, (child) => {
    if (!startsFunction(child)) bindHoisted(child, into)
  })
}

function startsFunction(node: AnyNode): boolean {
  return /^(Arrow)?Function(Expression|Declaration)$|^StaticBlock$/.test(node.type)
}

function bindLexical(statement: AnyNode, into: Set<string>): void {
  if (statement.type === 'VariableDeclaration' && statement.kind !== 'var') bindDeclared(statement, into)
  const named = statement.type === 'FunctionDeclaration' || statement.type === 'ClassDeclaration'
  if (named && statement.id) bind(statement.id, into)
}

function bindDeclared(declaration: VariableDeclaration, into: Set<string>): void {
  for (const { id } of declaration.declarations) bind(id, into)
}

/** Only names that could hide one of the scope are kept: a script may have any number of others. */
function bind(pattern: Pattern, into: Set<string>): void {
  switch (pattern.type) {
    case 'Identifier':
      if (isScopeName(pattern.name)) into.add(pattern.name)
      return
    case 'ArrayPattern':
      for (const element of pattern.elements) if (element) bind(element, into)
      return
    case 'ObjectPattern':
      for (const property of pattern.properties) {
        bind(property.type === 'RestElement' ? property.argument : property.value, into)
      }
      return
    case 'RestElement':
      bind(pattern.argument, into)
      return
    case 'AssignmentPattern':
      bind(pattern.left, into)
  }
}
