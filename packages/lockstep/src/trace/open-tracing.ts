import type { Tracer } from '@lockstep/coordination'
import type { EngineTracer } from '@lockstep/engine'
import type { RequestTracer } from '@lockstep/server'

/** Where spans of one node go, and who makes them. */
export interface Tracing {
  readonly tracer: EngineTracer
  readonly requests: RequestTracer
  /** For leases. */
  readonly locks: Tracer
  /** Sends what is left. Whoever collects is waited for a short time only. */
  close(): Promise<void>
}

export interface TracingOptions {
  /** Base address of a collector that takes OTLP over HTTP. */
  readonly endpoint: string
  readonly nodeName: string
  readonly version: string
}

const LONGEST_CLOSE_MS = 2_000

/** OpenTelemetry is loaded only where somebody collects. Headers and sampling are read from its own variables. */
export async function openTracing({ endpoint, nodeName, version }: TracingOptions): Promise<Tracing> {
  const [api, sdk, { OTLPTraceExporter }, { otelTracer, readTraceparent }] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace-node'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('./otel-tracer.ts'),
  ])
  const url = `${endpoint.replace(/\/+$/, '')}/v1/traces`
  const exporter = new OTLPTraceExporter({ url, timeoutMillis: LONGEST_CLOSE_MS })
  const provider = new sdk.NodeTracerProvider({
    resource: resourceOf({ 'service.name': 'lockstep', 'service.version': version, 'service.instance.id': nodeName }),
    spanProcessors: [new sdk.BatchSpanProcessor(exporter, { scheduledDelayMillis: 1_000 })],
    forceFlushTimeoutMillis: LONGEST_CLOSE_MS,
  })
  // Registers what keeps the current span; a program that has its own keeps it.
  provider.register({ propagator: null })
  const own = provider.getTracer('lockstep', version)
  return {
    tracer: otelTracer(own),
    locks: own,
    requests: {
      begin: ({ method, route, traceparent }) => {
        const remote = traceparent === undefined ? undefined : readTraceparent(traceparent)
        const parent = remote === undefined ? api.ROOT_CONTEXT : api.trace.setSpanContext(api.ROOT_CONTEXT, remote)
        const attributes = { 'http.request.method': method, 'http.route': route }
        const span = own.startSpan(`${method} ${route}`, { kind: api.SpanKind.SERVER, attributes }, parent)
        return {
          traceId: span.spanContext().traceId,
          within: (run) => api.context.with(api.trace.setSpan(parent, span), run),
          end: (status) => {
            span.setAttribute('http.response.status_code', status)
            if (status >= 500) span.setStatus({ code: api.SpanStatusCode.ERROR })
            span.end()
          },
        }
      },
    },
    // A collector that is away must not keep a node from ending.
    close: () => provider.shutdown().catch(() => undefined),
  }
}

function resourceOf(attributes: Record<string, string>) {
  const resource = {
    attributes,
    asyncAttributesPending: false,
    getRawAttributes: (): [string, string][] => Object.entries(attributes),
    merge: () => resource,
  }
  return resource
}
