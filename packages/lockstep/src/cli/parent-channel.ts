import type { ParentChannel } from '../cluster-dev/dev-link.ts'

/** Where whoever started this process opened a channel to it. It keeps nobody from ending. */
export function parentChannel(): ParentChannel | undefined {
  const { channel } = process
  if (process.send === undefined || channel === undefined || channel === null) return undefined
  return {
    onMessage: (hear) => {
      process.on('message', hear)
      channel.unref()
    },
    onGone: (gone) => {
      process.once('disconnect', gone)
      channel.unref()
    },
    // With a callback a parent that has just gone is no error of ours.
    send: (message) => void (process.connected && process.send?.(message, undefined, undefined, () => {})),
  }
}
