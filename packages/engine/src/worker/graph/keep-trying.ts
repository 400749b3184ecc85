import { type Clock, errorCode, isRetryable, type Logger, sleep, Trouble } from '@lockstep/base'

const FIRST_PAUSE_MS = 50
const LONGEST_PAUSE_MS = 5_000
const MOST_REFUSALS = 3

/**
 * Does something outside that may be repeated, until it is done or not wanted any more: a store that is away is waited for, however long.
 * Answers what it was refused for when the store is there and will not have it.
 */
export async function keepTrying(
  { shell }: { readonly shell: { readonly clock: Clock; readonly logger: Logger } },
  what: string,
  isWanted: () => boolean,
  work: () => Promise<void>,
): Promise<unknown> {
  let refusals = 0
  let pauseMs = FIRST_PAUSE_MS
  const trouble = new Trouble(shell.logger, `${what}: not yet`, `${what}: done after all`)
  while (isWanted()) {
    try {
      await work()
      trouble.over()
      return undefined
    } catch (error) {
      if (isFinal(error) || (!mayPass(error) && ++refusals >= MOST_REFUSALS)) return error
      trouble.failed(error)
      await sleep(shell.clock, pauseMs)
      pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2)
    }
  }
  return undefined
}

/** Said by the engine itself, about what was asked: a definition that does not exist, an input that does not fit. */
function isFinal(error: unknown): boolean {
  return !mayPass(error) && errorCode(error)?.startsWith('DATABASE') === false
}

/** `FENCED`: this node was buried, and will be told soon. */
function mayPass(error: unknown): boolean {
  const code = errorCode(error)
  return isRetryable(error) || code === 'COMMIT_UNKNOWN' || code === 'FENCED'
}
