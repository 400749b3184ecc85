/** A refused or failed request, as the server told it (RFC 9457), or as the browser found it. */
export class Problem extends Error {
  readonly status: number
  readonly code: string
  readonly title: string
  readonly detail: string
  readonly traceId: string | undefined
  /** Of a page about this kind of problem, behind the root of the server, whose base path stands before it in the answer. */
  readonly page: string | undefined
  /** Everything else the answer had. */
  readonly body: Readonly<Record<string, unknown>>

  constructor(status: number, body: Readonly<Record<string, unknown>>) {
    const text = (name: string): string | undefined =>
      typeof body[name] === 'string' ? (body[name] as string) : undefined
    const title = text('title') ?? `The server answered ${status}`
    super(text('detail') ?? title)
    this.name = 'Problem'
    this.status = status
    this.code = text('code') ?? `HTTP_${status}`
    this.title = title
    this.detail = text('detail') ?? ''
    this.traceId = text('traceId') ?? text('requestId')
    this.page = /\/problems\/[a-z0-9-]+$/.exec(text('type') ?? '')?.[0]
    this.body = body
  }
}

export const unreachable = (reason: string): Problem =>
  new Problem(0, { code: 'UNREACHABLE', title: 'The server cannot be reached', detail: reason })

export function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error
  return new Problem(0, { code: 'BROWSER', title: 'Something went wrong in this page', detail: String(error) })
}
