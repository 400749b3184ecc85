/** Makes a span of every request of the API, below what the caller sent as `traceparent`. */
export interface RequestTracer {
  begin(request: {
    readonly method: string
    /** As it was declared, without what varies. */
    readonly route: string
    readonly traceparent: string | undefined
  }): RequestSpan
}

export interface RequestSpan {
  /** By which everything that the request did is found. */
  readonly traceId: string
  /** What begins in `run` is below the request. */
  within(run: () => void): void
  end(status: number): void
}
