/** A program at a pseudo terminal, for what only shows there: keys that are pressed, completion, what is echoed. */
import { spawn } from 'node:child_process'
import { locatorFor } from '@lockstep/testing/harness'

export interface Typed {
  /** What has to be on the screen before the keys are pressed. */
  readonly after: string
  readonly keys: string
}

export interface Shown {
  readonly code: number
  /** All that the terminal showed, echo included. */
  readonly screen: string
}

/** `undefined`: this machine has no `script`, which makes the terminal. */
export const terminalMaker = (): string | undefined => locatorFor(process.env.PATH)('script')

/** Runs a line of the shell and types into it. Each time it waits for what was not on the screen yet. */
export function atTerminal(
  line: string,
  typed: readonly Typed[],
  { environment, folder }: { readonly environment: Readonly<Record<string, string>>; readonly folder: string },
): Promise<Shown> {
  const child = spawn(terminalMaker()!, ['-qefc', line, '/dev/null'], {
    cwd: folder,
    env: { PATH: process.env.PATH, TERM: 'xterm', SHELL: '/bin/bash', ...environment },
    stdio: ['pipe', 'pipe', 'inherit'],
    timeout: 60_000,
  })
  const left = [...typed]
  let screen = ''
  let seen = 0
  child.stdout.on('data', (part: Buffer) => {
    screen += part.toString()
    for (let next = left[0]; next !== undefined; next = left[0]) {
      const at = screen.indexOf(next.after, seen)
      if (at === -1) return
      seen = at + next.after.length
      child.stdin.write(next.keys)
      left.shift()
    }
  })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve({ code: code ?? -1, screen }))
  })
}
