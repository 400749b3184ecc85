/** The description of the API for people: one page without scripts, made of what programs read. */
import { problemType } from '../problem/to-problem.ts'
import type { OpenApi, Operation } from './openapi.ts'

interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly description?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
}
interface Body {
  readonly required?: boolean
  readonly description?: string
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>
}

/** `basePath` stands before everything that the page leads to. */
export function apiPage({ servers, paths, components }: OpenApi, basePath: string): string {
  const root = servers[0]?.url ?? ''
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  )
  const tags = [...new Set(operations.map(({ operation }) => operation.tags[0] ?? ''))].sort()
  const sections = tags.map((tag) => {
    const own = operations.filter(({ operation }) => operation.tags[0] === tag)
    const shown = own.map((each) => operationText(each.method, `${root}${each.path}`, each.operation, basePath))
    return `<section id="${escaped(tag)}"><h2>${escaped(tag)}</h2>\n${shown.join('\n')}\n</section>`
  })
  const schemas = Object.entries(components.schemas as Record<string, Schema>)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(
      ([name, schema]) =>
        `<section id="type-${escaped(name)}"><h3>${escaped(name)}</h3>${schemaText(schema)}</section>`,
    )
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Lockstep: REST API</title>
<link rel="stylesheet" href="${escaped(basePath)}/docs/api/style.css">
</head>
<body>
<main>
<h1>REST API</h1>
<p>${operations.length} operations under <code>${escaped(root)}</code>. For programs: <a href="${escaped(root)}/openapi.json">openapi.json</a> (OpenAPI 3.1).</p>
<nav aria-label="Nouns">${tags.map((tag) => `<a href="#${escaped(tag)}">${escaped(tag)}</a>`).join(' ')} <a href="#types">types</a></nav>
${sections.join('\n')}
<section id="types"><h2>types</h2>
${schemas.join('\n')}
</section>
</main>
</body>
</html>
`
}

function operationText(method: string, path: string, operation: Operation, basePath: string): string {
  const { operationId, summary, parameters, requestBody, responses } = operation
  const rows = parameters.map(({ name, in: where, required, schema }) => row(name, schema as Schema, required, where))
  return `<details id="${escaped(operationId)}">
<summary><b>${method}</b> <code>${escaped(path)}</code> <span>${escaped(summary)}</span></summary>
<p>Permission <code>${escaped(operation['x-permission'])}</code>, in clients <code>${escaped(operationId)}</code>.</p>
${rows.length === 0 ? '' : table('Parameters', rows)}${bodyText(requestBody as Body | undefined)}${answersText(responses as Record<string, Body>, basePath)}</details>`
}

function bodyText(body: Body | undefined): string {
  if (body === undefined) return ''
  const [type = '', { schema } = { schema: {} }] = Object.entries(body.content ?? {})[0] ?? []
  const types = Object.keys(body.content ?? {}).join(', ')
  return `<h4>Body${body.required ? '' : ' (may be left out)'}: ${escaped(types || type)}</h4>\n${schemaText(schema)}`
}

function answersText(responses: Readonly<Record<string, Body>>, basePath: string): string {
  const lines = Object.entries(responses).map(([status, { description = '', content = {} }]) => {
    const isProblem = 'application/problem+json' in content
    const [schema] = Object.values(content).map((each) => each.schema)
    const type = isProblem || schema === undefined ? '' : ` ${typeText(schema)}`
    return `<dt>${escaped(status)}</dt><dd>${isProblem ? problemText(description, basePath) : escaped(description)}${type}</dd>`
  })
  return `<h4>Answers</h4>\n<dl>${lines.join('\n')}</dl>\n`
}

/** Codes lead to what they mean. */
const problemText = (text: string, basePath: string): string =>
  escaped(text).replaceAll(
    /\b([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*): /g,
    (_, code: string) => `<a href="${escaped(basePath)}${problemType(code as never)}">${code}</a>: `,
  )

function schemaText(schema: Schema): string {
  const { properties, required = [] } = schema
  const about = schema.description === undefined ? '' : `<p>${escaped(schema.description)}</p>`
  if (properties === undefined) return `<p>${typeText(schema)}</p>${about}\n`
  const rows = Object.entries(properties).map(([name, member]) => row(name, member, required.includes(name)))
  return `${about}${table('Members', rows)}`
}

const table = (title: string, rows: readonly string[]): string =>
  `<table><caption>${title}</caption><tbody>\n${rows.join('\n')}\n</tbody></table>\n`

function row(name: string, schema: Schema, isRequired: boolean, where = ''): string {
  const notes = [where, isRequired ? 'required' : ''].filter((each) => each !== '').join(', ')
  return `<tr><th scope="row"><code>${escaped(name)}</code></th><td>${typeText(schema)}</td><td>${notes}</td><td>${escaped(schema.description ?? '')}</td></tr>`
}

function typeText(schema: Schema): string {
  const { $ref, type, format, items, anyOf } = schema
  if ($ref !== undefined) {
    const name = escaped($ref.replace(/^.*\//, ''))
    return `<a href="#type-${name}">${name}</a>`
  }
  if (schema.enum !== undefined) return schema.enum.map((each) => `<code>${escaped(String(each))}</code>`).join(' ')
  if (schema.const !== undefined) return `<code>${escaped(String(schema.const))}</code>`
  if (anyOf !== undefined) return anyOf.map(typeText).join(' or ')
  if (items !== undefined) return `list of ${typeText(items)}`
  const named = typeof type === 'string' ? type : (type ?? ['anything']).join(' or ')
  return escaped(format === undefined ? named : `${named} (${format})`)
}

const escaped = (text: string): string => text.replace(/[&<>"'`]/g, (sign) => `&#${sign.charCodeAt(0)};`)
