/**
 * YAML 1.2 with the values of JSON: no tags, no merge keys, no dates. The parser builds its tree only; values are taken
 * from it here, because its own way compares each key with all others and follows aliases as often as they nest.
 */
import { errorMessage, type Json } from '@lockstep/base'
import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  parseAllDocuments,
} from 'yaml'
import { setMember } from '../../graph/own-member.ts'
import type { TextPlace } from './locate.ts'
import { type TextEntry, type TextProblem, textProblem } from './text-entry.ts'
import { DEEPEST, MOST_ALIASES, MOST_DOCUMENTS, MOST_REPEATED } from './text-limits.ts'

/** The documents of a stream; lists in it are taken for lists of documents. */
export function readYaml(text: string): readonly TextEntry[] {
  let documents: readonly Document.Parsed[]
  try {
    documents = [
      ...parseAllDocuments(text, { schema: 'core', resolveKnownTags: false, uniqueKeys: false, logLevel: 'silent' }),
    ]
  } catch (error) {
    // What nests too deep for the parser ends its stack.
    return [{ problem: unreadable(errorMessage(error)) }]
  }
  if (documents.length > MOST_DOCUMENTS) {
    return [
      { problem: textProblem('TOO_MANY_DOCUMENTS', `A text holds at most ${MOST_DOCUMENTS} documents: split it`) },
    ]
  }
  return documents.flatMap(readDocument)
}

function readDocument(document: Document.Parsed): readonly TextEntry[] {
  const [fault] = [...document.errors, ...document.warnings]
  if (fault !== undefined) return [{ problem: unreadable(fault.message.split('\n')[0]!, placeOf(fault.linePos)) }]
  const reader = new ValueReader(document)
  try {
    const value = reader.read()
    return (Array.isArray(value) ? value : [value]).map((each: Json) => ({ document: each }))
  } catch (error) {
    if (error instanceof Refused) return [{ problem: error.problem }]
    throw error
  }
}

const unreadable = (reason: string, place?: TextPlace): TextProblem =>
  textProblem('UNREADABLE_TEXT', `This is not YAML: ${reason}`, '', place)

const placeOf = (found: Document.Parsed['errors'][number]['linePos']): TextPlace | undefined =>
  found && { line: found[0].line, column: found[0].col }

/** Leaves the recursion below; goes no further than this file. */
class Refused extends Error {
  readonly problem: TextProblem

  constructor(code: TextProblem['code'], text: string) {
    super(text)
    this.problem = textProblem(code, text)
  }
}

class ValueReader {
  readonly #document: Document.Parsed
  readonly #anchors = new Map<string, Node>()
  /** What each alias stands for. Settled where it is first met: a later anchor of the same name is for later aliases. */
  readonly #targets = new Map<Alias, Node>()
  #aliases = 0
  #repeated = 0

  constructor(document: Document.Parsed) {
    this.#document = document
  }

  read(): Json {
    const { contents } = this.#document
    if (contents === null) return null
    return this.#value(contents, 0, false)
  }

  #value(node: Node, depth: number, isRepeated: boolean): Json {
    if (depth > DEEPEST)
      throw new Refused('TOO_DEEP', `The document is nested deeper than ${DEEPEST} levels: flatten it`)
    if (isRepeated && ++this.#repeated > MOST_REPEATED)
      throw new Refused('TOO_LARGE', `Aliases may repeat at most ${MOST_REPEATED} values: write them out`)
    if (!isAlias(node) && node.anchor !== undefined && !isRepeated) this.#anchors.set(node.anchor, node)
    if (isAlias(node)) return this.#repeat(node, depth, isRepeated)
    if (isScalar(node)) return scalar(node.value)
    if (isSeq(node)) return node.items.map((item) => this.#value(item as Node, depth + 1, isRepeated))
    if (isMap(node)) return this.#object(node.items as readonly Pair[], depth, isRepeated)
    throw new Refused('UNREADABLE_TEXT', 'This is not YAML that JSON could hold')
  }

  #repeat(alias: Alias, depth: number, isRepeated: boolean): Json {
    const { source } = alias
    const target = this.#targets.get(alias) ?? this.#anchors.get(source)
    if (!isRepeated && ++this.#aliases > MOST_ALIASES)
      throw new Refused('TOO_LARGE', `A document may have at most ${MOST_ALIASES} aliases: write them out`)
    if (target !== undefined) this.#targets.set(alias, target)
    else throw new Refused('UNREADABLE_TEXT', `Nothing before "*${source}" has this anchor`)
    return this.#value(target, depth + 1, true)
  }

  #object(pairs: readonly Pair[], depth: number, isRepeated: boolean): Json {
    const result: Record<string, Json> = {}
    for (const { key, value } of pairs) {
      const name = keyText(key)
      if (Object.hasOwn(result, name))
        throw new Refused('UNREADABLE_TEXT', `"${name.slice(0, 80)}" is there twice: remove one`)
      setMember(result, name, value === null ? null : this.#value(value as Node, depth + 1, isRepeated))
    }
    return result
  }
}

function keyText(key: unknown): string {
  if (isScalar(key)) {
    if (typeof key.value === 'string') return key.value
    if (typeof key.value === 'number' || typeof key.value === 'boolean') return key.source ?? String(key.value)
  }
  throw new Refused('UNREADABLE_TEXT', 'The name of a member must be text')
}

function scalar(value: unknown): Json {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'number' && Number.isFinite(value)) return value === 0 ? 0 : value
  throw new Refused('UNREADABLE_TEXT', `JSON cannot hold ${String(value)}`)
}
