import type { EngineSpan, EngineTracer, SpanOptions } from '@lockstep/engine'
import {
  type Context,
  context,
  isSpanContextValid,
  type Link,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api'

/** The engine's port on OpenTelemetry. What is current is kept where OpenTelemetry keeps it, so that spans of your own code join in. */
export function otelTracer(tracer: Tracer): EngineTracer {
  return {
    span: (name, options) => {
      const parent = contextOf(options)
      const links = (options.links ?? []).flatMap(linkTo)
      const { attributes = {} } = options
      const span = tracer.startSpan(name, { kind: SpanKind.INTERNAL, attributes, links }, parent)
      return engineSpan(span, trace.setSpan(parent, span))
    },
    current: () => traceparentOf(trace.getSpan(context.active())),
  }
}

function engineSpan(span: Span, own: Context): EngineSpan {
  return {
    traceparent: traceparentOf(span) ?? '',
    set: (attributes) => void span.setAttributes(attributes),
    fail: (message) => void span.setStatus({ code: SpanStatusCode.ERROR, message }),
    end: () => span.end(),
    within: (run) => context.with(own, run),
  }
}

const contextOf = ({ parent }: SpanOptions): Context => {
  const given = parent === undefined ? undefined : readTraceparent(parent)
  return given === undefined ? context.active() : trace.setSpanContext(ROOT_CONTEXT, given)
}

const linkTo = (traceparent: string): Link[] => {
  const found = readTraceparent(traceparent)
  return found === undefined ? [] : [{ context: found }]
}

const FORM = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/

/** `undefined`: it is none, and is left aside. */
export function readTraceparent(text: string) {
  const [, traceId = '', spanId = '', flags = '00'] = FORM.exec(text.trim()) ?? []
  const found = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & TraceFlags.SAMPLED, isRemote: true }
  return isSpanContextValid(found) ? found : undefined
}

function traceparentOf(span: Span | undefined): string | undefined {
  if (span === undefined) return undefined
  const { traceId, spanId, traceFlags } = span.spanContext()
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`
}
