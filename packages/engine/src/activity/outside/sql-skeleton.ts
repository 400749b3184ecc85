/**
 * A statement without what stands in quotes and comments, as PostgreSQL reads it: comments nest, `''` is a quote inside a text, `$tag$`
 * begins one that ends with the same tag, and in `E'…'` a backslash hides the quote after it. A setting of the server makes it do so in plain
 * texts too: whoever judges a statement must look at both readings.
 */
export function sqlSkeleton(text: string, backslashHides: boolean): string | undefined {
  let out = ''
  for (let at = 0; at < text.length; ) {
    const end = skip(text, at, backslashHides)
    if (end === undefined) return undefined // a quote or comment without an end
    out += end === at ? text[at] : ' '
    at = end === at ? at + 1 : end
  }
  return out
}

/** Where the quote or comment that begins at `at` ends; `at` itself when none does. */
function skip(text: string, at: number, backslashHides: boolean): number | undefined {
  switch (text[at]) {
    case '-':
      return text[at + 1] === '-' ? lineEnd(text, at) : at
    case '/':
      return text[at + 1] === '*' ? commentEnd(text, at) : at
    case '"':
      return quoteEnd(text, at, false)
    case "'":
      return quoteEnd(text, at, backslashHides || isEscapeText(text, at))
    case '$':
      return dollarEnd(text, at)
    default:
      return at
  }
}

const WORD = /[\w$\u0080-\uffff]/

/** `E'…'`, but not `name'…'`. */
function isEscapeText(text: string, at: number): boolean {
  return /[eE]/.test(text[at - 1] ?? '') && !WORD.test(text[at - 2] ?? '')
}

function lineEnd(text: string, at: number): number {
  const found = /[\r\n]/.exec(text.slice(at))
  return found === null ? text.length : at + found.index + 1
}

function commentEnd(text: string, from: number): number | undefined {
  let depth = 0
  for (let at = from; at < text.length; at += 1) {
    const two = text.slice(at, at + 2)
    if (two === '/*') depth += 1
    else if (two === '*/') depth -= 1
    else continue
    at += 1
    if (depth === 0) return at + 1
  }
  return undefined
}

function quoteEnd(text: string, from: number, backslashHides: boolean): number | undefined {
  const quote = text[from]
  for (let at = from + 1; at < text.length; at += 1) {
    if (backslashHides && text[at] === '\\') at += 1
    else if (text[at] === quote && text[at + 1] === quote) at += 1
    else if (text[at] === quote) return at + 1
  }
  return undefined
}

function dollarEnd(text: string, at: number): number | undefined {
  if (WORD.test(text[at - 1] ?? '')) return at // inside a name
  const tag = /^\$(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$/.exec(text.slice(at))?.[0]
  if (tag === undefined) return at // $1
  const end = text.indexOf(tag, at + tag.length)
  return end === -1 ? undefined : end + tag.length
}
