/** Requests that start workflows: which one a path belongs to, what it is started with, and what it answers. */
import type { Json, JsonObject } from '@lockstep/base'
import { InputInvalid } from '../definition/errors.ts'
import { DEFAULT_TENANT, type StartedInstance, type StartRequest } from '../start/start-request.ts'
import type { EndpointKey, EndpointView, TriggerStore } from '../store/trigger-store.ts'
import { checkForm } from '../task/form.ts'
import { type Endpoint, endpointOf, parametersOf, splitPath } from './endpoint.ts'
import type { AnswerOutcome, HttpAnswers } from './http-answers.ts'

export interface HttpTriggersOptions {
  readonly triggers: TriggerStore
  readonly answers: HttpAnswers
  readonly start: (request: StartRequest) => Promise<StartedInstance>
}

export interface FoundEndpoint extends Endpoint {
  readonly tenant: string
  readonly definitionId: string
  readonly version: number
  readonly activity: string
  readonly path: string
  readonly parameters: Readonly<Record<string, string>>
}

export type EndpointLookup =
  | { readonly kind: 'found'; readonly endpoint: FoundEndpoint }
  /** The path is known, the method is not one of its own. */
  | { readonly kind: 'other-method'; readonly methods: readonly string[] }
  | { readonly kind: 'not-found' }

export interface EndpointRequest {
  readonly method: string
  readonly query: Json
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Json
  /** A repeated request with the same key starts nothing anew. */
  readonly key?: string | undefined
}

export class HttpTriggers {
  readonly #o: HttpTriggersOptions

  constructor(options: HttpTriggersOptions) {
    this.#o = options
  }

  /** Of what is published at this moment. `path` is what follows /workflows, its segments still encoded. */
  async find(method: string, path: string, tenant: string = DEFAULT_TENANT): Promise<EndpointLookup> {
    const given = decoded(splitPath(path))
    if (given === undefined) return { kind: 'not-found' }
    const { endpoint, methods } = await this.#o.triggers.endpoint(tenant, method, given)
    if (endpoint === undefined) return methods.length > 0 ? { kind: 'other-method', methods } : { kind: 'not-found' }
    const { definitionId, version, activity, inputs } = endpoint
    const read = endpointOf(inputs as JsonObject)
    const parameters = parametersOf(read, given)
    return {
      kind: 'found',
      endpoint: { ...read, tenant, definitionId, version, activity, path: `/${given.join('/')}`, parameters },
    }
  }

  /** Throws `INPUT_INVALID` when the body does not fit the endpoint's schema, or the input that of the workflow. */
  start(endpoint: FoundEndpoint, request: EndpointRequest): Promise<StartedInstance> {
    const { tenant, definitionId, version, activity, path, parameters, body: schema } = endpoint
    const { method, query, headers, body, key } = request
    const problems = checkForm(schema, body)
    if (problems.length > 0)
      throw new InputInvalid({
        definitionId,
        problems: problems.map(({ pointer, text }) => ({ pointer: `/body${pointer}`, text })),
      })
    const seen = Object.fromEntries(
      endpoint.headers.flatMap((name) => (headers[name] === undefined ? [] : [[name, String(headers[name])]])),
    )
    const input = { method, path, parameters, query, headers: seen, body }
    const dedupe = key === undefined ? {} : { dedupeKey: `http:${activity}:${key}` }
    return this.#o.start({ tenant, definitionId, version, trigger: activity, input, ...dedupe })
  }

  /** Waits as long as the endpoint says. */
  answer(endpoint: FoundEndpoint, instanceId: string, signal?: AbortSignal): Promise<AnswerOutcome> {
    return this.#o.answers.wait(endpoint.tenant, instanceId, endpoint.waitMs, signal)
  }

  /** By path and method. */
  list(
    after: EndpointKey | undefined,
    limit: number,
    tenant: string = DEFAULT_TENANT,
  ): Promise<readonly EndpointView[]> {
    return this.#o.triggers.endpoints(tenant, after, limit)
  }
}

/** `undefined`: no path can be meant, such as one with NUL in it, or with nothing between two slashes. */
function decoded(segments: readonly string[]): readonly string[] | undefined {
  try {
    const texts = segments.map((segment) => decodeURIComponent(segment))
    return texts.some((text) => text === '' || text.includes('\0')) ? undefined : texts
  } catch {
    return undefined
  }
}
