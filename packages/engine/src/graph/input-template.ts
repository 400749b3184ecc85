import { isJsonObject, type Json, type JsonObject } from '@lockstep/base'
import type { GraphExpression } from './graph-expression.ts'

/** The inputs of an activity with the expressions taken out. Without expressions `literal` is ready to use, and frozen. */
export type InputTemplate<E extends GraphExpression = GraphExpression> =
  | { readonly literal: JsonObject; readonly expressions: readonly [] }
  | { readonly literal: undefined; readonly expressions: readonly E[]; readonly shape: Shape }

/** Inputs whose `cases` are evaluated in order, until one fits. */
export interface CaseTemplates<E extends GraphExpression = GraphExpression> {
  /** All but the cases. */
  readonly rest: InputTemplate<E>
  readonly each: readonly InputTemplate<E>[]
}

type Shape =
  | { readonly kind: 'literal'; readonly value: Json }
  | { readonly kind: 'expression'; readonly index: number }
  | { readonly kind: 'array'; readonly items: readonly Shape[] }
  | { readonly kind: 'object'; readonly members: readonly (readonly [string, Shape])[] }

export function isExpressionValue(value: unknown): value is { readonly $expr: string } {
  return isJsonObject(value) && typeof value.$expr === 'string'
}

export function containsExpression(value: Json): boolean {
  if (typeof value !== 'object' || value === null) return false
  return isExpressionValue(value) || Object.values(value).some((member) => containsExpression(member as Json))
}

export function compileTemplate<E extends GraphExpression>(
  inputs: JsonObject,
  compileExpression: (source: string) => E,
): InputTemplate<E> {
  const expressions: E[] = []
  const shape = shapeOf(inputs, (source) => expressions.push(compileExpression(source)) - 1)
  if (expressions.length > 0) return { literal: undefined, expressions, shape }
  return { literal: deepFreeze(structuredClone(inputs)) as JsonObject, expressions: [] }
}

/** `undefined`: they hold no expression, or are one themselves. */
export function compileCases<E extends GraphExpression>(
  { cases, ...rest }: JsonObject,
  compileExpression: (source: string) => E,
): CaseTemplates<E> | undefined {
  if (!Array.isArray(cases) || !cases.every(isJsonObject) || !containsExpression(cases)) return undefined
  return {
    rest: compileTemplate(rest, compileExpression),
    each: cases.map((each) => compileTemplate(each, compileExpression)),
  }
}

/** The inputs with the values of `template.expressions`, in their order. Costs nothing for literals. */
export function fillTemplate(template: InputTemplate, values: readonly Json[]): JsonObject {
  if (template.literal !== undefined) return template.literal
  return fill(template.shape, values) as JsonObject
}

function shapeOf(value: Json, add: (source: string) => number): Shape {
  if (isExpressionValue(value)) return { kind: 'expression', index: add(value.$expr) }
  if (Array.isArray(value)) {
    const items = value.map((item) => shapeOf(item, add))
    return items.every((item) => item.kind === 'literal') ? literal(value) : { kind: 'array', items }
  }
  if (isJsonObject(value)) {
    const members = Object.entries(value).map(([key, member]) => [key, shapeOf(member, add)] as const)
    return members.every(([, member]) => member.kind === 'literal') ? literal(value) : { kind: 'object', members }
  }
  return { kind: 'literal', value }
}

const literal = (value: Json): Shape => ({ kind: 'literal', value: deepFreeze(structuredClone(value)) })

function fill(shape: Shape, values: readonly Json[]): Json {
  switch (shape.kind) {
    case 'literal':
      return shape.value
    case 'expression':
      return values[shape.index] ?? null
    case 'array':
      return shape.items.map((item) => fill(item, values))
    case 'object':
      return Object.fromEntries(shape.members.map(([key, member]) => [key, fill(member, values)]))
  }
}

function deepFreeze(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value
  for (const member of Object.values(value)) deepFreeze(member as Json)
  return Object.freeze(value)
}
