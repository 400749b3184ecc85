/**
 * The part of Markdown that notes need: headings, lists, quotes, code, emphasis and links. It answers a tree of plain texts and
 * knows no HTML: a tag in a note is text like any other, and a link leads to the web or to a mail box or is text as well.
 */
export type Inline =
  | { readonly kind: 'text' | 'code'; readonly text: string }
  | { readonly kind: 'strong' | 'emphasis' | 'struck'; readonly parts: readonly Inline[] }
  | { readonly kind: 'link'; readonly to: string; readonly parts: readonly Inline[] }

export type Block =
  | { readonly kind: 'heading'; readonly level: number; readonly parts: readonly Inline[] }
  | { readonly kind: 'paragraph' | 'quote'; readonly lines: readonly (readonly Inline[])[] }
  | { readonly kind: 'list'; readonly numbered: boolean; readonly items: readonly (readonly Inline[])[] }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'rule' }

const HEADING = /^ {0,3}(#{1,6})\s+(.*?)\s*#*$/
const BULLET = /^\s*[-*+]\s+(.*)$/
const NUMBER = /^\s*\d{1,9}[.)]\s+(.*)$/
const QUOTE = /^\s*>\s?(.*)$/
const RULE = /^\s*(?:-{3,}|\*{3,}|_{3,})\s*$/
const FENCE = /^\s*```/

export function readMarkdown(text: string): readonly Block[] {
  const lines = text.split(/\r\n|[\n\r\u2028\u2029]/)
  const blocks: Block[] = []
  let index = 0
  /** As long as they have this form. */
  const take = (form: RegExp): readonly string[] => {
    const found: string[] = []
    for (let match = form.exec(lines[index] ?? ''); match !== null; match = form.exec(lines[++index] ?? ''))
      found.push(match[1]!)
    return found
  }
  while (index < lines.length) {
    const line = lines[index]!
    const heading = HEADING.exec(line)
    if (line.trim() === '') index++
    else if (FENCE.test(line)) {
      const end = lines.findIndex((each, at) => at > index && FENCE.test(each))
      const last = end < 0 ? lines.length : end
      blocks.push({ kind: 'code', text: lines.slice(index + 1, last).join('\n') })
      index = last + 1
    } else if (RULE.test(line)) {
      blocks.push({ kind: 'rule' })
      index++
    } else if (heading !== null) {
      blocks.push({ kind: 'heading', level: heading[1]!.length, parts: readInline(heading[2]!) })
      index++
    } else if (BULLET.test(line)) blocks.push({ kind: 'list', numbered: false, items: take(BULLET).map(readInline) })
    else if (NUMBER.test(line)) blocks.push({ kind: 'list', numbered: true, items: take(NUMBER).map(readInline) })
    else if (QUOTE.test(line)) blocks.push({ kind: 'quote', lines: take(QUOTE).map(readInline) })
    else blocks.push({ kind: 'paragraph', lines: take(PLAIN).map(readInline) })
  }
  return blocks
}

/** A line that begins nothing else. */
const PLAIN =
  /^(?!\s*$)(?! {0,3}#{1,6}\s)(?!\s*[-*+]\s)(?!\s*\d{1,9}[.)]\s)(?!\s*>)(?!\s*```)(?!\s*(?:-{3,}|\*{3,}|_{3,})\s*$)(.*)$/

const INLINE = new RegExp(
  [
    '`(?<code>[^`]+)`',
    '\\*\\*(?<strong>(?:[^*]|\\*(?!\\*))+)\\*\\*',
    '~~(?<struck>[^~]+)~~',
    '\\*(?<star>[^*\\s](?:[^*]*[^*\\s])?)\\*',
    '(?<![\\w_])_(?<under>[^_\\s](?:[^_]*[^_\\s])?)_(?![\\w_])',
    '\\[(?<label>[^\\]]+)\\]\\((?<to>[^()\\s]+)\\)',
    '(?<bare>https?://[^\\s<>()]+)',
  ].join('|'),
  'g',
)

const MAY_LEAD_TO = /^(?:https?:\/\/|mailto:)/i

export function readInline(text: string): readonly Inline[] {
  const parts: Inline[] = []
  let last = 0
  const plain = (to: number): void => {
    if (to > last) parts.push({ kind: 'text', text: text.slice(last, to) })
  }
  for (const match of text.matchAll(INLINE)) {
    const part = inlineOf(match.groups!)
    if (part === undefined) continue
    plain(match.index)
    parts.push(part)
    last = match.index + match[0].length
  }
  plain(text.length)
  return parts
}

function inlineOf(found: Readonly<Record<string, string | undefined>>): Inline | undefined {
  const { code, strong, struck, star, under, label, to, bare } = found
  if (code !== undefined) return { kind: 'code', text: code }
  if (strong !== undefined) return { kind: 'strong', parts: readInline(strong) }
  if (struck !== undefined) return { kind: 'struck', parts: readInline(struck) }
  const leaning = star ?? under
  if (leaning !== undefined) return { kind: 'emphasis', parts: readInline(leaning) }
  if (bare !== undefined) return { kind: 'link', to: bare, parts: [{ kind: 'text', text: bare }] }
  return MAY_LEAD_TO.test(to!) ? { kind: 'link', to: to!, parts: [{ kind: 'text', text: label! }] } : undefined
}
