import { InvalidFilter } from '@lockstep/api'
import { errorCode, errorMessage, InvalidDuration, InvalidOption } from '@lockstep/base'
import { CommanderError } from 'commander'
import { shown } from '../log/shown.ts'
import {
  EndedBadly,
  EXIT,
  type ExitCode,
  exitCodeOf,
  ServerProblem,
  ServerUnreachable,
  UsageError,
} from './exit-codes.ts'
import { fileProblem } from './file-problem.ts'
import { buildProgram } from './program.ts'
import type { Terminal } from './terminal/terminal.ts'

/** Runs one command line and answers what the process shall end with. `server` goes on running after its answer. */
export async function runCli(words: readonly string[], terminal: Terminal): Promise<number> {
  try {
    const program = await buildProgram(words.includes('--quiet') ? withoutRemarks(terminal) : terminal, words, terminal)
    await program.parseAsync(words, { from: 'user' })
    return EXIT.ok
  } catch (error) {
    if (error instanceof CommanderError) {
      const taken = error.code === 'commander.missingArgument' ? takenByWait(words) : undefined
      if (taken !== undefined) terminal.err(`(--wait took "${shown(taken)}" as its duration: write --wait behind it)\n`)
      return usageCode(error, words)
    }
    const { text, code, exitCode } = told(error, words)
    if (text !== '') terminal.err(`lockstep: ${shown(text)}${code === undefined ? '' : ` [${code}]`}\n`)
    if (words.includes('--verbose') && ServerProblem.is(error))
      terminal.err(`${JSON.stringify(error.details.problem, null, 2)}\n`)
    return exitCode
  }
}

/** Made from the other one: what it reads when it is first asked, it reads then. */
const withoutRemarks = (terminal: Terminal): Terminal => Object.create(terminal, { err: { value: () => undefined } })

/** Of an option whose value may be absent, the next word is its value. */
function takenByWait(words: readonly string[]): string | undefined {
  const next = words[words.indexOf('--wait') + 1]
  return words.includes('--wait') && next?.startsWith('-') === false ? next : undefined
}

/** Help and version are answers, not failures. A node that cannot start ends with 1, whatever kept it. */
function usageCode(error: CommanderError, [first]: readonly string[]): ExitCode {
  if (error.exitCode === 0 || error.code === 'commander.help') return error.exitCode === 0 ? EXIT.ok : EXIT.usage
  return first === 'server' ? EXIT.failed : EXIT.usage
}

const ELSEWHERE = 'Start a node with "lockstep server", or name another with --url or LOCKSTEP_URL'

const SIGN_IN = 'Sign in with "lockstep auth login", or give a key with --api-key or LOCKSTEP_API_KEY'

interface Told {
  /** One sentence. */
  readonly text: string
  readonly code: string | undefined
  readonly exitCode: ExitCode
}

/** What keeps a command from its work on a store, or on files. */
const ofCode: Readonly<Record<string, ExitCode>> = {
  DATA_FOLDER_IN_USE: EXIT.conflict,
  MOVE_TARGET_NOT_EMPTY: EXIT.conflict,
  WOULD_OVERWRITE: EXIT.conflict,
  BACKUP_DAMAGED: EXIT.invalid,
}

const STARTS_NODES: ReadonlySet<string> = new Set(['server', 'dev', 'cluster'])

function told(error: unknown, [first]: readonly string[]): Told {
  if (EndedBadly.is(error)) return { text: error.details.text, code: undefined, exitCode: error.details.exitCode }
  if (ServerProblem.is(error)) {
    const { status, problem } = error.details
    const next = status === 401 ? `. ${SIGN_IN}` : ''
    return {
      text: `${problem.detail.replace(/\.$/, next === '' ? '.' : '')}${next}`,
      code: problem.code,
      exitCode: exitCodeOf(status),
    }
  }
  const text = errorMessage(error)
  const code = errorCode(error)
  if (ServerUnreachable.is(error)) return { text: `${text}. ${ELSEWHERE}`, code, exitCode: EXIT.unreachable }
  if (UsageError.is(error)) return { text, code: undefined, exitCode: EXIT.usage }
  if (InvalidFilter.is(error) || InvalidDuration.is(error)) return { text, code, exitCode: EXIT.usage }
  // A node that cannot start ends with 1, whatever kept it.
  if (InvalidOption.is(error) && !STARTS_NODES.has(first ?? '')) return { text, code, exitCode: EXIT.usage }
  if (error instanceof Error && 'details' in error) return { text, code, exitCode: ofCode[code ?? ''] ?? EXIT.failed }
  const file = fileProblem(error)
  if (file !== undefined)
    return { text: file, code, exitCode: STARTS_NODES.has(first ?? '') ? EXIT.failed : EXIT.usage }
  const trace = error instanceof Error ? (error.stack ?? text) : text
  return { text: `unexpected failure\n${trace}`, code: undefined, exitCode: EXIT.failed }
}
