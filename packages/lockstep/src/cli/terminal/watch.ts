import type { Command } from 'commander'
import { EndedBadly, EXIT, UsageError } from '../exit-codes.ts'
import { CLEAR, type Terminal } from './terminal.ts'

export interface WatchFlags {
  readonly watch?: string | true
}

export const watched = (command: Command): Command =>
  command.option('-w, --watch [seconds]', 'show it again and again until Ctrl-C (every 2 seconds)')

/** Shows once, or again and again. At a terminal each time on an empty screen. */
export async function watching(terminal: Terminal, { watch }: WatchFlags, show: () => Promise<void>): Promise<void> {
  if (watch === undefined) return show()
  const seconds = watch === true ? 2 : Number(watch)
  if (!(seconds >= 0.1 && seconds <= 3_600))
    throw new UsageError({ text: `--watch takes seconds from 0.1 to 3600, not "${watch}"` })
  do {
    if (terminal.isTerminal) terminal.out(CLEAR)
    await show()
  } while (await terminal.pause(seconds * 1_000))
  throw new EndedBadly({ text: '', exitCode: EXIT.interrupted })
}
