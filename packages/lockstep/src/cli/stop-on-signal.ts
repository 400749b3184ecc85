import { errorMessage, type Logger } from '@lockstep/base'

/** So long after its drain should have ended the process ends whatever still hangs: every commit is durable, so leaving is always safe. */
const AFTER_DRAIN_MS = 5_000

/** The first Ctrl-C or SIGTERM stops gracefully, the second at once. */
export function stopOnSignal(stop: () => Promise<void>, drainMs: number, logger: Logger): void {
  let stopping = false
  const onSignal = (signal: NodeJS.Signals): void => {
    if (stopping) process.exit(signal === 'SIGINT' ? 130 : 143)
    stopping = true
    logger.info('stopping', { signal })
    setTimeout(() => process.exit(0), drainMs + AFTER_DRAIN_MS).unref()
    stop().then(
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
  process.on('SIGINT', onSignal)
  process.on('SIGTERM', onSignal)
}
