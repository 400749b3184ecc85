/** Documents judged without a server, with the line of each problem. */
import { isJsonObject, type Json } from '@lockstep/base'
import {
  activityRegistry,
  type CustomActivity,
  Definitions,
  type EngineStore,
  validateSchedule,
} from '@lockstep/engine'
import { type Document, isNode, LineCounter, parseAllDocuments } from 'yaml'

export interface FileProblem {
  readonly line: number
  readonly column: number
  readonly pointer: string
  readonly code: string
  readonly text: string
  readonly severity: 'error' | 'warning'
}

export interface CheckedDocument {
  readonly kind: 'workflow' | 'schedule' | 'unreadable'
  readonly id: string | undefined
  readonly problems: readonly FileProblem[]
}

const MOST_ALIASES = 100

/** A text of JSON or YAML; a JSON list and a YAML stream hold several documents. */
export function checkText(text: string, activities: readonly CustomActivity[]): readonly CheckedDocument[] {
  const lines = new LineCounter()
  const parsed = parseAllDocuments(text, { lineCounter: lines, uniqueKeys: true })
  const documents = Array.isArray(parsed) ? parsed : []
  if (documents.length === 0) return [unreadable(1, 1, 'The file is empty: write a document')]
  // Judging a document asks nothing of a store.
  const definitions = new Definitions({} as EngineStore, activityRegistry(activities))
  return documents.flatMap((document) => checkDocument(document, lines, definitions))
}

function checkDocument(document: Document, lines: LineCounter, definitions: Definitions): CheckedDocument[] {
  const [error] = document.errors
  if (error !== undefined) {
    const { line, col } = lines.linePos(error.pos[0])
    return [unreadable(line, col, error.message.split('\n')[0]!.replace(/ at line .*/, ''))]
  }
  const value = toJson(document)
  if (value instanceof Error) return [unreadable(1, 1, value.message)]
  const items = Array.isArray(value) ? value.map((each, at) => [each, [at]] as const) : [[value, []] as const]
  return items.map(([item, path]) => checkValue(item as Json, path, document, lines, definitions))
}

function toJson(document: Document): unknown {
  try {
    return document.toJS({ maxAliasCount: MOST_ALIASES })
  } catch (error) {
    return error
  }
}

function checkValue(
  value: Json,
  path: readonly number[],
  document: Document,
  lines: LineCounter,
  definitions: Definitions,
): CheckedDocument {
  const isSchedule = isJsonObject(value) && 'trigger' in value && !('activities' in value)
  const found = isSchedule ? validateSchedule(value) : definitions.problems(value)
  const id = isJsonObject(value) && typeof value.id === 'string' ? value.id : undefined
  const problems = found.map(({ pointer, code, text, severity }) => ({
    pointer,
    code,
    text,
    severity,
    ...placeOf(document, lines, [...path, ...stepsOf(pointer)]),
  }))
  return { kind: isSchedule ? 'schedule' : 'workflow', id, problems }
}

const stepsOf = (pointer: string): string[] =>
  pointer === ''
    ? []
    : pointer
        .slice(1)
        .split('/')
        .map((each) => each.replaceAll('~1', '/').replaceAll('~0', '~'))

/** Of the value that the pointer leads to; of what stands around it, when it is not there. */
function placeOf(
  document: Document,
  lines: LineCounter,
  path: readonly (string | number)[],
): { readonly line: number; readonly column: number } {
  for (let length = path.length; length >= 0; length -= 1) {
    const steps = path.slice(0, length).map((each) => (/^\d+$/.test(String(each)) ? Number(each) : each))
    const node = length === 0 ? document.contents : document.getIn(steps, true)
    if (isNode(node) && node.range) {
      const { line, col } = lines.linePos(node.range[0])
      return { line, column: col }
    }
  }
  return { line: 1, column: 1 }
}

const unreadable = (line: number, column: number, text: string): CheckedDocument => ({
  kind: 'unreadable',
  id: undefined,
  problems: [{ line, column, pointer: '', code: 'UNREADABLE_TEXT', text, severity: 'error' }],
})
