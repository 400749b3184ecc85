import { readFileSync } from 'node:fs'
import path from 'node:path'
import { errorMessage } from '@lockstep/base'
import { UsageError } from '../exit-codes.ts'
import type { Terminal } from './terminal.ts'

/** Text of a file, or of the standard input for `-`. */
export async function readText(terminal: Terminal, file: string): Promise<string> {
  if (file === '-') return terminal.readInput()
  try {
    return readFileSync(path.resolve(terminal.folder, file), 'utf8')
  } catch (error) {
    throw new UsageError({ text: `${file} cannot be read: ${errorMessage(error)}` }, { cause: error })
  }
}

/** JSON from the command line: itself, `@file`, or `-` for the standard input. */
export async function readJson(terminal: Terminal, flag: string, given: string | undefined): Promise<unknown> {
  if (given === undefined) return undefined
  const from = given.startsWith('@') ? given.slice(1) : given === '-' ? '-' : undefined
  const text = from === undefined ? given : await readText(terminal, from)
  try {
    return JSON.parse(text)
  } catch (error) {
    const hint = from === undefined ? ' Quote it for the shell, or write @file' : ''
    throw new UsageError({ text: `${flag} is not JSON: ${errorMessage(error)}.${hint}` }, { cause: error })
  }
}
