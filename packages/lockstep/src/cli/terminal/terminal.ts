import { setMaxListeners } from 'node:events'
import colors from 'picocolors'
import { shownPainted } from '../../log/shown.ts'
import { EndedBadly, EXIT } from '../exit-codes.ts'

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
  /** For `out`. */
  readonly colors: Colors
  /** Whether a person reads `err`, and colours for it: either of the two may go to a file. */
  readonly errIsTerminal: boolean
  readonly errColors: Colors
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly folder: string
  now(): number
  /** Settles early, with `false`, when the person interrupts. */
  pause(ms: number): Promise<boolean>
  /** All of the standard input. */
  readInput(): Promise<string>
  /** A credential: what a person types after `prompt` does not show; else all of the standard input. The line end is no part of it. */
  readSecret(prompt: string): Promise<string>
  /** `undefined`: there is nobody to ask. */
  confirm(question: string): Promise<boolean | undefined>
  /** Aborts on Ctrl-C. */
  readonly interrupted: AbortSignal
}

/** The terminal of this process. */
export function systemTerminal(): Terminal {
  const isTerminal = process.stdout.isTTY === true
  const errIsTerminal = process.stderr.isTTY === true
  const paints = !process.env.NO_COLOR && process.env.TERM !== 'dumb'
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
    err: (text) => void process.stderr.write(errIsTerminal ? shownPainted(text, { returns: true }) : text),
    isTerminal,
    columns: process.stdout.columns ?? 120,
    colors: colors.createColors(isTerminal && paints),
    errIsTerminal,
    errColors: colors.createColors(errIsTerminal && paints),
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
    readInput,
    readSecret: async (prompt) => {
      if (process.stdin.isTTY !== true || !errIsTerminal) return (await readInput()).replace(/\r?\n$/, '')
      return (await askPerson(prompt, true)) ?? ''
    },
    confirm: async (question) => {
      if (!isTerminal || !errIsTerminal || process.stdin.isTTY !== true) return undefined
      return /^y(es)?$/i.test((await askPerson(`${question} [y/N] `))?.trim() ?? '')
    },
  }
}

async function readInput(): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}

/** `undefined`: no answer was given. Names from elsewhere stand in questions: they are shown, not obeyed. */
async function askPerson(question: string, hidden = false): Promise<string | undefined> {
  const { ask } = await import('./ask.ts')
  const shown = shownPainted(question, { returns: false })
  const answer = await ask({ input: process.stdin, output: process.stderr, question: shown, hidden })
  if (answer.status === 'interrupted') throw new EndedBadly({ text: '', exitCode: EXIT.interrupted })
  return answer.status === 'answered' ? answer.text : undefined
}
