import { setMaxListeners } from 'node:events'
import colors from 'picocolors'
import { shownPainted } from '../../log/shown.ts'

type Colors = ReturnType<typeof colors.createColors>

/** Empties the screen, where it is all that is written. */
export const CLEAR = '\x1b[2J\x1b[3J\x1b[H'

/** Everything that a command touches outside of itself. */
export interface Terminal {
  /** Data: what another program would read. */
  out(text: string): void
  /** Everything else. */
  err(text: string): void
  /** Whether a person reads `out`. */
  readonly isTerminal: boolean
  readonly columns: number
  readonly colors: Colors
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly folder: string
  now(): number
  /** Settles early, with `false`, when the person interrupts. */
  pause(ms: number): Promise<boolean>
  /** All of the standard input. */
  readInput(): Promise<string>
  /** `undefined`: there is nobody to ask. */
  confirm(question: string): Promise<boolean | undefined>
  /** Aborts on Ctrl-C. */
  readonly interrupted: AbortSignal
}

/** The terminal of this process. */
export function systemTerminal(): Terminal {
  const isTerminal = process.stdout.isTTY === true
  let interrupt: AbortController | undefined
  /** Only who asks is told; else Ctrl-C ends the process as usual, as a second one does in any case. */
  const interrupted = (): AbortSignal => {
    if (interrupt === undefined) {
      interrupt = new AbortController()
      setMaxListeners(0, interrupt.signal) // every request that is under way listens
      process.once('SIGINT', () => interrupt?.abort())
    }
    return interrupt.signal
  }
  return {
    // Answers hold what others wrote. Programs get it as it is; a terminal would obey it.
    out: (text) =>
      void process.stdout.write(isTerminal && text !== CLEAR ? shownPainted(text, { returns: false }) : text),
    err: (text) => void process.stderr.write(process.stderr.isTTY ? shownPainted(text, { returns: true }) : text),
    isTerminal,
    columns: process.stdout.columns ?? 120,
    colors: colors.createColors(isTerminal && !process.env.NO_COLOR && process.env.TERM !== 'dumb'),
    environment: process.env,
    folder: process.cwd(),
    now: () => Date.now(),
    get interrupted() {
      return interrupted()
    },
    pause: (ms) =>
      new Promise((resolve) => {
        const signal = interrupted()
        if (signal.aborted) return resolve(false)
        const stop = (): void => {
          clearTimeout(timer)
          resolve(false)
        }
        const timer = setTimeout(() => {
          signal.removeEventListener('abort', stop)
          resolve(true)
        }, ms)
        signal.addEventListener('abort', stop, { once: true })
      }),
    readInput: async () => {
      const chunks: Buffer[] = []
      for await (const chunk of process.stdin) chunks.push(chunk as Buffer)
      return Buffer.concat(chunks).toString('utf8')
    },
    confirm: async (question) => {
      if (!isTerminal || process.stdin.isTTY !== true) return undefined
      const { createInterface } = await import('node:readline/promises')
      const asking = createInterface({ input: process.stdin, output: process.stderr })
      try {
        return /^y(es)?$/i.test((await asking.question(`${question} [y/N] `)).trim())
      } finally {
        asking.close()
      }
    },
  }
}
