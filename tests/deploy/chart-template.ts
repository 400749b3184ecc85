/** Text with actions, as Helm has it: `if`, `else`, `range`, `with`, `define`, and expressions that print. */
import { type Expression, parseExpression } from './chart-expression.ts'

export type Part =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'print'; readonly value: Expression }
  | {
      readonly kind: 'if' | 'range' | 'with'
      readonly value: Expression
      readonly body: readonly Part[]
      readonly otherwise: readonly Part[]
    }
  | { readonly kind: 'define'; readonly name: string; readonly body: readonly Part[] }

interface Piece {
  readonly action: boolean
  readonly text: string
}

export function parseTemplate(source: string): readonly Part[] {
  const pieces = piecesOf(source)
  let at = 0
  const block = (): readonly Part[] => {
    const parts: Part[] = []
    for (; at < pieces.length; at += 1) {
      const { action, text } = pieces[at]!
      if (!action) parts.push({ kind: 'text', text })
      else if (text === 'end' || text === 'else' || text.startsWith('else ')) return parts
      else {
        const part = partOf(text)
        if (part !== undefined) parts.push(part)
      }
    }
    return parts
  }
  const partOf = (text: string): Part | undefined => {
    if (text.startsWith('/*')) return undefined
    const [, word, rest = ''] = /^(if|range|with|define)\s+(.*)$/s.exec(text) ?? []
    if (word === undefined) return { kind: 'print', value: parseExpression(text) }
    at += 1
    const body = block()
    if (word === 'define') return { kind: 'define', name: JSON.parse(rest.trim()) as string, body }
    const closing = pieces[at]?.text
    if (closing === undefined) throw new Error(`no end for ${text}`)
    const kind = word as 'if' | 'range' | 'with'
    const value = parseExpression(rest)
    if (closing === 'end') return { kind, value, body, otherwise: [] }
    const again = closing.slice('else'.length).trim()
    if (again !== '') return { kind, value, body, otherwise: [partOf(again)!] }
    at += 1
    return { kind, value, body, otherwise: block() }
  }
  const parts = block()
  if (at < pieces.length) throw new Error(`one end too many: ${source.slice(0, 80)}`)
  return parts
}

/** `{{-` takes the blanks before it, `-}}` those behind it. */
function piecesOf(source: string): readonly Piece[] {
  const pieces: Piece[] = []
  let from = 0
  let eatLeft = false
  for (const match of source.matchAll(/\{\{(-?)\s*([\s\S]*?)\s*(-?)\}\}/g)) {
    const before = source.slice(from, match.index)
    const left = eatLeft ? before.trimStart() : before
    pieces.push({ action: false, text: match[1] === '-' ? left.trimEnd() : left })
    pieces.push({ action: true, text: match[2]! })
    eatLeft = match[3] === '-'
    from = match.index + match[0].length
  }
  const rest = source.slice(from)
  pieces.push({ action: false, text: eatLeft ? rest.trimStart() : rest })
  return pieces
}
