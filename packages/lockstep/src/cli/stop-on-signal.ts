import { errorMessage, type Logger } from '@lockstep/base'

/** So long after its drain should have ended the process ends whatever still hangs: every commit is durable, so leaving is always safe. */
const AFTER_DRAIN_MS = 5_000

export interface StopOnSignal {
  /** Aborted by the first of them. */
  readonly signal: AbortSignal
  /** What comes up ends the process as a clean stop does, where it fails because it was told to stop. */
  unlessAsked<T>(starting: Promise<T>): Promise<T>
  /** It runs: this stops it, at once where that was asked for meanwhile. */
  begin(stop: () => Promise<void>): void
}

/**
 * The first Ctrl-C or SIGTERM stops gracefully, the second at once. From now on, also while the node comes up: in a container it is the first
 * process, and the kernel keeps from that all signals that it does not listen to.
 */
export function stopOnSignal(drainMs: number, logger: Logger): StopOnSignal {
  const asked = new AbortController()
  let stop: (() => Promise<void>) | undefined
  const end = (): void => {
    stop?.().then(
      () => {
        logger.info('stopped')
        process.exit(0)
      },
      (error: unknown) => {
        logger.error('could not stop cleanly', { reason: errorMessage(error) })
        process.exit(1)
      },
    )
  }
  const onSignal = (signal: NodeJS.Signals): void => {
    if (asked.signal.aborted) process.exit(signal === 'SIGINT' ? 130 : 143)
    logger.info('stopping', { signal })
    setTimeout(() => process.exit(0), drainMs + AFTER_DRAIN_MS).unref()
    asked.abort()
    end()
  }
  process.on('SIGINT', onSignal)
  process.on('SIGTERM', onSignal)
  return {
    signal: asked.signal,
    unlessAsked: (starting) =>
      starting.catch((error: unknown) => {
        if (!asked.signal.aborted || error !== asked.signal.reason) throw error
        logger.info('stopped')
        process.exit(0)
      }),
    begin: (running) => {
      stop = running
      if (asked.signal.aborted) end()
    },
  }
}
