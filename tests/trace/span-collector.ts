/** Takes spans as a collector does, OTLP over HTTP in JSON, and keeps them. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface CollectedSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | undefined
  readonly name: string
  readonly service: string
  readonly failed: boolean
  /** Why it failed, as the collector was told. */
  readonly message: string | undefined
  readonly attributes: Readonly<Record<string, unknown>>
  readonly links: readonly { readonly traceId: string }[]
}

interface KeyValue {
  readonly key: string
  readonly value: Readonly<Record<string, unknown>>
}

export interface SpanCollector extends AsyncDisposable {
  readonly url: string
  readonly spans: readonly CollectedSpan[]
  readonly headers: readonly NodeJS.Dict<string | string[]>[]
}

export async function openCollector(): Promise<SpanCollector> {
  const spans: CollectedSpan[] = []
  const headers: NodeJS.Dict<string | string[]>[] = []
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += String(chunk)
    if (request.url === '/v1/traces') {
      headers.push(request.headers)
      spans.push(...read(text))
    }
    response.writeHead(request.url === '/v1/traces' ? 200 : 404, { 'content-type': 'application/json' }).end('{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    headers,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

interface WireSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly links?: readonly { readonly traceId: string }[]
  readonly status?: { readonly code?: number; readonly message?: string }
  readonly attributes?: readonly KeyValue[]
}

interface Wire {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly KeyValue[] }
    readonly scopeSpans: readonly { readonly spans: readonly WireSpan[] }[]
  }[]
}

function read(text: string): CollectedSpan[] {
  return (JSON.parse(text) as Wire).resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = String(attributesOf(resource.attributes)['service.instance.id'])
    return scopeSpans
      .flatMap(({ spans }) => spans)
      .map(({ traceId, spanId, parentSpanId, name, links = [], status, attributes }) => ({
        ...{ traceId, spanId, name, links, service },
        parentSpanId: parentSpanId === '' ? undefined : parentSpanId,
        failed: status?.code === 2,
        message: status?.message,
        attributes: attributesOf(attributes),
      }))
  })
}

const attributesOf = (list: readonly KeyValue[] = []): Record<string, unknown> =>
  Object.fromEntries(list.map(({ key, value }) => [key, Object.values(value)[0]]))
