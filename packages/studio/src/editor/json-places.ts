import { jsonLanguage } from '@codemirror/lang-json'

type SyntaxNode = ReturnType<typeof jsonLanguage.parser.parse>['topNode']

export interface Place {
  readonly line: number
  readonly column: number
}

/** Where the members stand that pointers name, from 1. What is missing is shown at the nearest thing around it. */
export function placesIn(text: string, pointers: readonly string[]): readonly Place[] {
  const { topNode } = jsonLanguage.parser.parse(text)
  const root = topNode.firstChild
  return pointers.map((pointer) => {
    const tokens = pointer.split('/').slice(1)
    const before = text.slice(0, root === null ? 0 : offsetOf(text, root, tokens.map(unescaped))).split('\n')
    return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 }
  })
}

const unescaped = (token: string): string => token.replaceAll('~1', '/').replaceAll('~0', '~')

function offsetOf(text: string, root: SyntaxNode, tokens: readonly string[]): number {
  let node: SyntaxNode = root
  let at = root.from
  for (const token of tokens) {
    const found = node.name === 'Array' ? itemOf(node, Number(token)) : memberOf(text, node, token)
    if (found === undefined) return at
    at = found.from
    node = found.value
  }
  return at
}

function itemOf(list: SyntaxNode, index: number) {
  let seen = 0
  for (let child = list.firstChild; child !== null; child = child.nextSibling) {
    if (/^[[\],]$/.test(child.name) || child.type.isError) continue
    if (seen === index) return { from: child.from, value: child }
    seen += 1
  }
  return undefined
}

function memberOf(text: string, object: SyntaxNode, name: string) {
  for (const property of object.getChildren('Property')) {
    const key = property.getChild('PropertyName')
    const value = property.lastChild
    if (key !== null && value !== null && text.slice(key.from, key.to) === JSON.stringify(name))
      return { from: key.from, value }
  }
  return undefined
}
