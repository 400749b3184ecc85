/** The expressions of Helm's templates, as far as our chart uses them: paths, literals, calls, pipes, parentheses. */
export type Expression =
  | { readonly kind: 'literal'; readonly value: unknown }
  | { readonly kind: 'path'; readonly from: 'dot' | 'root'; readonly names: readonly string[] }
  | { readonly kind: 'call'; readonly name: string; readonly args: readonly Expression[] }

const TOKEN = /\s*("(?:[^"\\]|\\.)*"|[()|]|-?\d+|\$?(?:\.[\w-]+)+|\$|\.|\w+)/y

export function parseExpression(text: string): Expression {
  const tokens = tokensOf(text)
  let at = 0
  const pipeline = (): Expression => {
    let value = command()
    while (tokens[at] === '|') {
      at += 1
      const next = command()
      if (next.kind !== 'call') throw new Error(`only functions stand behind a pipe: ${text}`)
      value = { ...next, args: [...next.args, value] }
    }
    return value
  }
  const command = (): Expression => {
    const first = tokens[at]
    if (first !== undefined && /^[a-zA-Z]\w*$/.test(first) && first !== 'true' && first !== 'false') {
      at += 1
      const args: Expression[] = []
      while (at < tokens.length && tokens[at] !== '|' && tokens[at] !== ')') args.push(operand())
      return { kind: 'call', name: first, args }
    }
    return operand()
  }
  const operand = (): Expression => {
    const token = tokens[at++]
    if (token === undefined) throw new Error(`something is missing: ${text}`)
    if (token === '(') {
      const inner = pipeline()
      if (tokens[at++] !== ')') throw new Error(`a parenthesis is open: ${text}`)
      return inner
    }
    if (token.startsWith('"')) return { kind: 'literal', value: JSON.parse(token) }
    if (/^-?\d+$/.test(token)) return { kind: 'literal', value: Number(token) }
    if (token === 'true' || token === 'false') return { kind: 'literal', value: token === 'true' }
    const names = token.split('.').filter((each) => each !== '' && each !== '$')
    if (token.startsWith('$')) return { kind: 'path', from: 'root', names }
    if (token.startsWith('.')) return { kind: 'path', from: 'dot', names }
    return { kind: 'call', name: token, args: [] }
  }
  const found = pipeline()
  if (at < tokens.length) throw new Error(`cannot read ${tokens[at]} in ${text}`)
  return found
}

function tokensOf(text: string): readonly string[] {
  const found: string[] = []
  TOKEN.lastIndex = 0
  while (TOKEN.lastIndex < text.trimEnd().length) {
    const at = TOKEN.lastIndex
    const match = TOKEN.exec(text)
    if (match === null) throw new Error(`cannot read ${text.slice(at)}`)
    found.push(match[1]!)
  }
  return found
}
