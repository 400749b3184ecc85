/** Keys of `lockstep dev`, for whoever sits at it. */
export interface DevKeys {
  open(): void
  quit(): void
}

export const DEV_KEYS_HELP = 'o opens Studio · q quits'

const meanings: Readonly<Record<string, keyof DevKeys>> = { o: 'open', q: 'quit', '\u0003': 'quit', '\u0004': 'quit' }

/** `false`: there is no keyboard. In this mode Ctrl-C is a key like any other. */
export function readDevKeys(input: NodeJS.ReadStream, keys: DevKeys): boolean {
  if (input.isTTY !== true) return false
  input.setRawMode(true)
  input.setEncoding('utf8')
  input.on('data', (pressed: string) => {
    for (const key of pressed) {
      const meaning = meanings[key.toLowerCase()]
      if (meaning !== undefined) keys[meaning]()
    }
  })
  input.resume()
  return true
}
