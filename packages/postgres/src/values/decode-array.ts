/** Reads the text form of an SQL array: `{1,NULL,"a \"quoted\" one"}`, nested or with bounds in front. */
export function decodeArray<T>(source: string, element: (text: string) => T): unknown[] {
  const start = source.startsWith('[') ? source.indexOf('=') + 1 : 0
  if (source.length === start + 2) return []
  if (source.includes('"', start) || source.includes('{', start + 1)) return readList(source, start, element).list
  return source
    .slice(start + 1, -1)
    .split(',')
    .map((text) => (text === 'NULL' ? null : element(text)))
}

function readList<T>(source: string, start: number, element: (text: string) => T): { list: unknown[]; end: number } {
  const list: unknown[] = []
  let at = start + 1
  while (source[at] !== '}') {
    if (source[at] === '{') {
      const inner = readList(source, at, element)
      list.push(inner.list)
      at = inner.end
    } else if (source[at] === '"') {
      const end = endOfQuoted(source, at + 1)
      const text = source.slice(at + 1, end)
      list.push(element(text.includes('\\') ? text.replace(/\\(.)/gs, '$1') : text))
      at = end + 1
    } else {
      const end = endOfBare(source, at)
      const text = source.slice(at, end)
      list.push(text === 'NULL' ? null : element(text))
      at = end
    }
    if (source[at] === ',') at++
  }
  return { list, end: at + 1 }
}

function endOfQuoted(source: string, from: number): number {
  let at = from
  while (source[at] !== '"') at += source[at] === '\\' ? 2 : 1
  return at
}

function endOfBare(source: string, from: number): number {
  let at = from
  while (source[at] !== ',' && source[at] !== '}') at++
  return at
}
