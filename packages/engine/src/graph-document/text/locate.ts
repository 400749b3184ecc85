/** Where in a text the members stand that pointers name. One reader for both: JSON is YAML, and the tree of a broken text still has places. */
import { isMap, isScalar, isSeq, LineCounter, type Node, type Pair, parseAllDocuments } from 'yaml'

/** Counted from 1. */
export interface TextPlace {
  readonly line: number
  readonly column: number
}

export interface WantedPlace {
  /** Of the document in the text, from 0; items of a list at the top are documents. */
  readonly index: number
  /** RFC 6901, into that document. */
  readonly pointer: string
}

/** In the order asked. What has no place of its own, because it is missing, is told by the nearest thing around it. */
export function locate(text: string, wanted: readonly WantedPlace[]): readonly (TextPlace | undefined)[] {
  const lines = new LineCounter()
  let roots: readonly (Node | null)[]
  try {
    const options = { schema: 'core', resolveKnownTags: false, uniqueKeys: false, logLevel: 'silent' } as const
    const documents = [...parseAllDocuments(text, { ...options, lineCounter: lines })]
    roots = documents.flatMap(({ contents }) =>
      isSeq(contents) ? (contents.items as Node[]) : [contents as Node | null],
    )
  } catch {
    return wanted.map(() => undefined)
  }
  return wanted.map(({ index, pointer }) => {
    const offset = offsetOf(roots[index] ?? undefined, tokensOf(pointer))
    if (offset === undefined) return undefined
    const { line, col } = lines.linePos(offset)
    return { line, column: col }
  })
}

const tokensOf = (pointer: string): readonly string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((each) => each.replaceAll('~1', '/').replaceAll('~0', '~'))

function offsetOf(root: Node | undefined, tokens: readonly string[]): number | undefined {
  let node = root
  let found = startOf(root)
  for (const token of tokens) {
    if (isSeq(node)) {
      node = node.items[Number(token)] as Node | undefined
      found = startOf(node) ?? found
    } else if (isMap(node)) {
      const pair = (node.items as readonly Pair[]).find(({ key }) => isScalar(key) && String(key.value) === token)
      found = startOf(pair?.key as Node | undefined) ?? found
      node = (pair?.value ?? undefined) as Node | undefined
    }
    if (node === undefined) break
  }
  return found
}

const startOf = (node: Node | null | undefined): number | undefined => node?.range?.[0]

/** The place of a character, from 0. */
export function placeAt(text: string, offset: number): TextPlace {
  const before = text.slice(0, offset).split('\n')
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 }
}
