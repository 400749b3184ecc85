/** What an expression can name, as rows of a tree: with what a past run had there, and the text that names it. Pure. */
import type { Shape } from './shape.ts'

export interface ScopeRow {
  /** What names it in an expression; of a heading: only what tells rows apart. */
  readonly path: string
  readonly name: string
  readonly level: number
  readonly opens: boolean
  readonly isOpen: boolean
  /** A heading cannot be named itself. */
  readonly isHeading: boolean
  /** The value that the past run had; else its type. */
  readonly text: string
  readonly isValue: boolean
}

const NAME = /^[A-Za-z_$][\w$]*$/
const LONGEST = 80

export const memberPath = (path: string, name: string): string =>
  NAME.test(name) ? `${path}.${name}` : `${path}[${JSON.stringify(name)}]`

/** `toggled`: paths that are not as they are at first, when only what lies outermost is open. */
export function scopeRows(scope: Shape, past: unknown, toggled: ReadonlySet<string>): readonly ScopeRow[] {
  const rows: ScopeRow[] = []
  const add = (path: string, name: string, shape: Shape, value: unknown, level: number): void => {
    const children = childrenOf(path, shape, value)
    const isOpen = children.length > 0 && (level === 0) !== toggled.has(path)
    const isHeading = path === 'steps'
    const isValue = value !== undefined && !isHeading
    const text = isHeading ? '' : isValue ? valueText(value) : shape.type === 'any' ? '' : shape.type
    rows.push({ path, name, level, opens: children.length > 0, isOpen, isHeading, text, isValue })
    if (isOpen) for (const child of children) add(child.path, child.name, child.shape, child.value, level + 1)
  }
  for (const [name, shape] of Object.entries(scope.members ?? {})) {
    // Neither variables nor earlier steps: nothing to open, nothing to name.
    if ((name === 'vars' || name === 'steps') && Object.keys(shape.members ?? {}).length === 0) continue
    const value = memberOf(past, name)
    // Only where something was caught is there an error.
    if (name === 'error' && (value === undefined || value === null)) continue
    add(name, name === 'steps' ? 'Earlier steps' : name, shape, value, 0)
  }
  return rows
}

interface Child {
  readonly path: string
  readonly name: string
  readonly shape: Shape
  readonly value: unknown
}

function childrenOf(path: string, shape: Shape, value: unknown): readonly Child[] {
  if (path === 'steps') return stepsOf(shape, value)
  if (shape.items !== undefined) {
    const first = Array.isArray(value) ? value[0] : undefined
    return [{ path: `${path}[0]`, name: '0', shape: shape.items, value: first }]
  }
  return Object.entries(shape.members ?? {}).map(([name, member]) => ({
    path: memberPath(path, name),
    name,
    shape: member,
    value: memberOf(value, name),
  }))
}

/** A step is shown by its name and named by its id: what it answered is all there is to name of it. */
function stepsOf({ members = {} }: Shape, value: unknown): readonly Child[] {
  return Object.entries(members).map(([id, step]) => ({
    path: `${memberPath('steps', id)}.output`,
    name: step.title ?? id,
    shape: step.members?.output ?? { type: 'any' },
    value: memberOf(memberOf(value, id), 'output'),
  }))
}

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined

function valueText(value: unknown): string {
  if (Array.isArray(value)) return value.length === 1 ? '1 item' : `${value.length} items`
  const text = JSON.stringify(value) ?? ''
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text
}
