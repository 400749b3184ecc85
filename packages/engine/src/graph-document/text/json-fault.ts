/** Where a text stops being JSON: the host's parser does not always tell. Reads tokens only, so that no depth of nesting can hurt it. */
type Wants = 'value' | 'first' | 'item' | 'name' | 'colon' | 'more' | 'end'

const SPACE = /[ \t\n\r]*/y
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what a text must not hold
const PLAIN = /[^"\\\u0000-\u001f]*/y
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y
const OTHER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y

/** Offset of the first character that does not fit; the end of the text when more is wanted; `undefined` for JSON. */
export function jsonFault(text: string): number | undefined {
  const open: ('{' | '[')[] = []
  let wants: Wants = 'value'
  let at = 0
  const take = (token: RegExp): boolean => {
    token.lastIndex = at
    const found = token.exec(text)
    if (found === null) return false
    at = token.lastIndex
    return true
  }
  // Piece by piece: a pattern for all of it would need a stack as deep as the text is long.
  const takeText = (): boolean => {
    const start = at
    if (text[at] !== '"') return false
    at += 1
    do take(PLAIN)
    while (take(ESCAPE))
    const isWhole = text[at] === '"'
    at = isWhole ? at + 1 : start
    return isWhole
  }
  const ended = (): Wants => (open.length === 0 ? 'end' : 'more')
  for (;;) {
    take(SPACE)
    if (at >= text.length) return wants === 'end' ? undefined : at
    const sign = text[at]!
    const inside = open.at(-1)
    if (wants === 'end') return at
    if (wants === 'colon') {
      if (sign !== ':') return at
      at += 1
      wants = 'value'
    } else if (wants === 'name') {
      if (!takeText()) return at
      wants = 'colon'
    } else if (wants === 'more' && sign === ',') {
      at += 1
      wants = inside === '{' ? 'name' : 'item'
    } else if ((wants === 'more' || wants === 'first') && sign === (inside === '{' ? '}' : ']')) {
      at += 1
      open.pop()
      wants = ended()
    } else if (wants === 'more') {
      return at
    } else if (wants === 'first' && inside === '{') {
      wants = 'name'
    } else if (sign === '{' || sign === '[') {
      at += 1
      open.push(sign)
      wants = 'first'
    } else {
      if (!(takeText() || take(OTHER))) return at
      wants = ended()
    }
  }
}
