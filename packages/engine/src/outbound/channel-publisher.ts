export type ChannelResult =
  | { readonly status: 'sent'; readonly receivers: number }
  | { readonly status: 'unavailable'; readonly reason: string }

/** Publishes to channels of Redis: at most once, to whoever listens at this moment. */
export interface ChannelPublisher {
  publish(channel: string, message: string, signal: AbortSignal): Promise<ChannelResult>
}
