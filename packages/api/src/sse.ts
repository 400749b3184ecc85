/** One event of a server-sent stream. */
export interface StreamEvent {
  readonly id: string
  readonly event: string
  readonly data: string
}

export interface SseHeard {
  event(event: StreamEvent): void
  /** Every id, those of heartbeats too: the place to go on behind. */
  id(id: string): void
  retry(ms: number): void
}

const ENDING = /\r\n|\n|\r(?!$)/

/** Cuts text into events as the HTML standard says, however it arrives in pieces. */
export function sseParser(heard: SseHeard): (chunk: string) => void {
  let rest = ''
  let id = ''
  let event = ''
  let data: string[] = []
  const line = (text: string): void => {
    if (text === '') {
      if (id !== '') heard.id(id)
      if (data.length > 0) heard.event({ id, event: event || 'message', data: data.join('\n') })
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
    else if (name === 'retry' && /^\d+$/.test(value)) heard.retry(Number(value))
  }
  return (chunk) => {
    rest += chunk
    // A carriage return at the end may be half of a line ending.
    for (let match = ENDING.exec(rest); match !== null; match = ENDING.exec(rest)) {
      const found = rest.slice(0, match.index)
      rest = rest.slice(match.index + match[0].length)
      line(found)
    }
  }
}
