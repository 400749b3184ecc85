/** The part of an OpenTelemetry tracer that is used here, by shape: pass `trace.getTracer('…')` of any 1.x version. */
export interface Tracer {
  startSpan(name: string, options?: { readonly attributes?: SpanAttributes }): Span
}

export interface Span {
  setAttributes(attributes: SpanAttributes): unknown
  setStatus(status: { readonly code: number; readonly message?: string }): unknown
  addEvent(name: string, attributes?: SpanAttributes): unknown
  end(): unknown
}

export type SpanAttributes = Record<string, string | number | boolean>

/** `SpanStatusCode.ERROR` of OpenTelemetry. */
export const SPAN_ERROR = 2
