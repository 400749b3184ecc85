import type { Terminal } from './terminal.ts'

/** One line that changes while something takes long. Only people see it: on standard error, and only at a terminal. */
export interface Progress {
  show(text: string): void
  /** Leaves nothing behind. */
  clear(): void
}

export function progressOn({ errIsTerminal, err }: Pick<Terminal, 'errIsTerminal' | 'err'>): Progress {
  let length = 0
  const write = (text: string): void => {
    if (!errIsTerminal) return
    err(`\r${text.padEnd(length)}${text.length < length ? `\r${text}` : ''}`)
    length = text.length
  }
  return { show: write, clear: () => length > 0 && write('') === undefined && err('\r') }
}
