import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { until } from './open-test-database.ts'

export interface Child extends AsyncDisposable {
  readonly pid: number
  readonly lines: readonly string[]
  /** Waits until it has said at least so many lines; throws when it ended before. */
  said(count: number): Promise<void>
  tell(line: string): void
  kill9(): Promise<void>
}

/** Runs a program of `test/children` on the built package. */
export function startChild(program: string, ...args: readonly string[]): Child {
  const file = fileURLToPath(new URL(`./children/${program}`, import.meta.url))
  const child: ChildProcess = spawn(process.execPath, [file, ...args], { stdio: ['pipe', 'pipe', 'inherit'] })
  const ended = once(child, 'exit')
  const lines: string[] = []
  createInterface({ input: child.stdout! }).on('line', (line) => lines.push(line))
  const isOver = (): boolean => child.exitCode !== null || child.signalCode !== null
  const kill9 = async (): Promise<void> => {
    child.kill('SIGKILL')
    await ended
  }
  return {
    pid: child.pid!,
    lines,
    async said(count) {
      await until(() => lines.length >= count || isOver())
      if (lines.length < count) throw new Error(`${program} ended after ${lines.length} lines: ${lines.join(', ')}`)
    },
    tell: (line) => child.stdin!.write(`${line}\n`),
    kill9,
    [Symbol.asyncDispose]: kill9,
  }
}
