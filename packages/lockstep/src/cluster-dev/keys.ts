/** What a key means; `select` counts from 0. */
export type KeyCommand =
  | { readonly do: 'select'; readonly index: number }
  | { readonly do: 'kill' | 'pause' | 'revive' | 'status' | 'quit' }

export const KEYS_HELP = '1-9 select · k kill -9 · p pause or go on · r revive · s status · q quit'

const letters = {
  k: 'kill',
  p: 'pause',
  r: 'revive',
  s: 'status',
  q: 'quit',
  '\u0003': 'quit',
  '\u0004': 'quit',
} as const

export function commandOf(key: string): KeyCommand | undefined {
  if (/^[1-9]$/.test(key)) return { do: 'select', index: Number(key) - 1 }
  const found = letters[key.toLowerCase() as keyof typeof letters]
  return found === undefined ? undefined : { do: found }
}

/** Calls back for every key until it is closed. Answers `undefined` where there is no keyboard. */
export function readKeys(input: NodeJS.ReadStream, onCommand: (command: KeyCommand) => void): (() => void) | undefined {
  if (input.isTTY !== true) return undefined
  input.setRawMode(true)
  input.setEncoding('utf8')
  const onData = (keys: string): void => {
    for (const key of keys) {
      const command = commandOf(key)
      if (command !== undefined) onCommand(command)
    }
  }
  input.on('data', onData)
  input.resume()
  return () => {
    input.off('data', onData)
    input.setRawMode(false)
    input.pause()
  }
}
