/** One event of a server-sent stream. */
export interface StreamEvent {
  readonly id: string
  readonly event: string
  readonly data: string
}

/**
 * Cuts text into events as the HTML standard says. `fetch` with this, instead of EventSource: that one tells neither the status of
 * a refused stream nor events whose names were not guessed beforehand, and cannot send a key.
 */
export function sseParser(onEvent: (event: StreamEvent) => void, onRetry: (ms: number) => void = () => {}) {
  let rest = ''
  let id = ''
  let event = ''
  let data: string[] = []
  const line = (text: string): void => {
    if (text === '') {
      if (data.length > 0) onEvent({ id, event: event || 'message', data: data.join('\n') })
      event = ''
      data = []
      return
    }
    const colon = text.indexOf(':')
    if (colon === 0) return
    const name = colon < 0 ? text : text.slice(0, colon)
    const value = colon < 0 ? '' : text.slice(colon + 1).replace(/^ /, '')
    if (name === 'data') data.push(value)
    else if (name === 'event') event = value
    else if (name === 'id' && !value.includes('\0')) id = value
    else if (name === 'retry' && /^\d+$/.test(value)) onRetry(Number(value))
  }
  return (chunk: string): void => {
    rest += chunk
    // A carriage return at the end may be half of a line ending.
    for (let match = ENDING.exec(rest); match !== null; match = ENDING.exec(rest)) {
      const found = rest.slice(0, match.index)
      rest = rest.slice(match.index + match[0].length)
      line(found)
    }
  }
}

const ENDING = /\r\n|\n|\r(?!$)/
