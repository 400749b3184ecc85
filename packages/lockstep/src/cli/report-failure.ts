import { errorCode, errorMessage } from '@lockstep/base'

/** Ends the process after a failure: the message of a known one, the whole trace of one we did not foresee. */
export function reportFailure(error: unknown): never {
  const foreseen = error instanceof Error && 'details' in error
  const code = errorCode(error)
  if (foreseen) process.stderr.write(`lockstep: ${errorMessage(error)} [${code}]\n`)
  else
    process.stderr.write(
      `lockstep: unexpected failure\n${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
    )
  process.exit(1)
}
