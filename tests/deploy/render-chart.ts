/**
 * Renders our chart without Helm. The chart keeps to what this knows: values, `if`, `else`, `range`, `with`, `define`,
 * `include`, and the functions below. It was compared once with Go's own templates; they print the same.
 */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { parse, stringify } from 'yaml'
import type { Expression } from './chart-expression.ts'
import { type Part, parseTemplate } from './chart-template.ts'

export interface Values {
  readonly [name: string]: unknown
}

interface Scope {
  readonly root: unknown
  readonly dot: unknown
  readonly defined: ReadonlyMap<string, readonly Part[]>
}

/** File names of templates with what they print; those that print nothing are left out. */
export function renderChart(folder: string, release: string, values: Values = {}): ReadonlyMap<string, string> {
  const read = (name: string): string => readFileSync(path.join(folder, name), 'utf8')
  const { name, version, appVersion } = parse(read('Chart.yaml')) as Record<string, string>
  const root = {
    Values: merge(parse(read('values.yaml')) as Values, values),
    Release: { Name: release, Namespace: 'default' },
    Chart: { Name: name, Version: version, AppVersion: appVersion },
  }
  const templates = readdirSync(path.join(folder, 'templates')).sort()
  const parsed = new Map(templates.map((file) => [file, parseTemplate(read(`templates/${file}`))]))
  const defined = new Map(
    [...parsed.values()].flat().flatMap((part) => (part.kind === 'define' ? [[part.name, part.body] as const] : [])),
  )
  const rendered = new Map<string, string>()
  for (const [file, parts] of parsed) {
    const text = render(parts, { root, dot: root, defined }).trim()
    if (text !== '') rendered.set(file, `${text}\n`)
  }
  return rendered
}

function merge(base: Values, over: Values): Values {
  const isObject = (value: unknown): value is Values =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
  const merged: Record<string, unknown> = { ...base }
  for (const [name, value] of Object.entries(over)) {
    const ours = merged[name]
    merged[name] = isObject(ours) && isObject(value) ? merge(ours, value) : value
  }
  return merged
}

function render(parts: readonly Part[], scope: Scope): string {
  return parts.map((part) => renderPart(part, scope)).join('')
}

function renderPart(part: Part, scope: Scope): string {
  switch (part.kind) {
    case 'text':
      return part.text
    case 'define':
      return ''
    case 'print':
      return textOf(evaluate(part.value, scope))
    case 'if':
      return render(isTrue(evaluate(part.value, scope)) ? part.body : part.otherwise, scope)
    case 'with': {
      const dot = evaluate(part.value, scope)
      return isTrue(dot) ? render(part.body, { ...scope, dot }) : render(part.otherwise, scope)
    }
    case 'range': {
      const found = evaluate(part.value, scope)
      const items = Array.isArray(found) ? found : Object.values((found ?? {}) as object)
      if (items.length === 0) return render(part.otherwise, scope)
      return items.map((dot: unknown) => render(part.body, { ...scope, dot })).join('')
    }
  }
}

function evaluate(expression: Expression, scope: Scope): unknown {
  if (expression.kind === 'literal') return expression.value
  if (expression.kind === 'path')
    return expression.names.reduce<unknown>(
      (value, name) => (value as Record<string, unknown> | undefined)?.[name],
      expression.from === 'root' ? scope.root : scope.dot,
    )
  const args = expression.args.map((each) => evaluate(each, scope))
  if (expression.name === 'include') {
    const body = scope.defined.get(String(args[0]))
    if (body === undefined) throw new Error(`nothing is defined as ${String(args[0])}`)
    return render(body, { ...scope, dot: args[1] })
  }
  const call = functions[expression.name]
  if (call === undefined) throw new Error(`the chart uses ${expression.name}, which is not among its functions`)
  return call(...args)
}

const functions: Readonly<Record<string, (...args: unknown[]) => unknown>> = {
  default: (fallback, value) => (isTrue(value) ? value : fallback),
  quote: (value) => JSON.stringify(textOf(value)),
  toYaml: (value) => stringify(value, { lineWidth: 0, sortMapEntries: true }).trimEnd(),
  nindent: (count, text) => `\n${indent(Number(count), textOf(text))}`,
  printf: (form, ...args) => {
    let next = 0
    return String(form).replaceAll(/%[sdv]/g, () => textOf(args[next++]))
  },
  required: (message, value) => {
    if (value === undefined || value === null || value === '') throw new Error(String(message))
    return value
  },
  not: (value) => !isTrue(value),
  add: (...all) => all.reduce((sum: number, each) => sum + Number(each), 0),
  mul: (a, b) => Number(a) * Number(b),
}

const indent = (count: number, text: string): string => text.replaceAll(/^/gm, ' '.repeat(count))

const textOf = (value: unknown): string => (value === undefined || value === null ? '' : String(value))

/** As Go's templates see it: empty things are false. */
function isTrue(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0
  return Boolean(value)
}
