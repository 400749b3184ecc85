export type SpanAttributes = Readonly<Record<string, string | number | boolean>>

export interface SpanOptions {
  /** As a `traceparent` of the W3C. Absent: what is current where the span begins; nothing is: a trace begins. */
  readonly parent?: string | undefined
  /** Others that it has to do with, as `traceparent`s. */
  readonly links?: readonly string[]
  readonly attributes?: SpanAttributes
}

/** Makes spans. Where an engine has none, nothing is traced and nothing of it is computed. */
export interface EngineTracer {
  span(name: string, options: SpanOptions): EngineSpan
  /** The `traceparent` of the span in which this is called. */
  current(): string | undefined
}

export interface EngineSpan {
  readonly traceparent: string
  set(attributes: SpanAttributes): void
  fail(reason: string): void
  end(): void
  /** Spans that begin in `run`, and in whatever it waits for, are below this one. */
  within<T>(run: () => T): T
}
