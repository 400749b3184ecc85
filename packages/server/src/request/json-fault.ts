import { errorMessage } from '@lockstep/base'

/** What the parser says of a text, with the place as people count it. What stands in the text is not repeated: it may be secret. */
export function jsonFault(text: string, error: unknown): string {
  const message = errorMessage(error).replace(/, (?:\.\.\.)?".*"(?:\.\.\.)? is not valid JSON$/s, '')
  return message.replace(/ in JSON at position (\d+)| after JSON at position (\d+)/, (said, inside, after) => {
    const before = text.slice(0, Number(inside ?? after)).split('\n')
    const where = `line ${before.length}, column ${before.at(-1)!.length + 1}`
    return said.startsWith(' after') ? ` after its end, at ${where}` : ` at ${where}`
  })
}
