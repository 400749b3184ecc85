/** A published graph that an event is to start. */
export interface PendingStart {
  readonly tenant: string
  readonly eventId: string
  readonly correlationId: string | undefined
  /** Parsed JSON. */
  readonly payload: unknown
  readonly definitionId: string
  readonly version: number
  readonly activity: string
  /** Source of the expression that must hold. */
  readonly filter: string | undefined
}

/** A path of a published graph. */
export interface EndpointView {
  readonly tenant: string
  readonly method: string
  /** Its path with {} for each parameter. */
  readonly shape: string
  readonly definitionId: string
  readonly activity: string
  readonly version: number
  /** Inputs of its activity; parsed JSON. */
  readonly inputs: unknown
}

export interface EndpointKey {
  readonly method: string
  readonly shape: string
}

/** What an instance has told the request that started it. */
export interface AnswerLook {
  /** Parsed JSON of the first answer after the given fact. */
  readonly answer: unknown
  /** Number of the newest fact. */
  readonly seq: number
  readonly ended: boolean
  readonly status: string
}

/** What starts graphs from outside: events and requests. Publishing a graph binds them, in its own transaction. */
export interface TriggerStore {
  /**
   * Graphs that events are to start, with the definitions in order. `eventIds` absent: those of any event that was published `olderThanMs` ago or
   * earlier and whose starts nobody has reported, of at most `limit` events.
   */
  pendingStarts(
    eventIds: readonly string[] | undefined,
    olderThanMs: number,
    limit: number,
  ): Promise<readonly PendingStart[]>
  /** All that these events start was started, or never will be. */
  started(eventIds: readonly string[]): Promise<void>
  /** The endpoint for a path; literal segments win over parameters, from left to right. `methods`: what the path takes. */
  endpoint(
    tenant: string,
    method: string,
    segments: readonly string[],
  ): Promise<{ readonly endpoint: EndpointView | undefined; readonly methods: readonly string[] }>
  /** Which of these belong to another definition. */
  taken(
    tenant: string,
    definitionId: string,
    keys: readonly EndpointKey[],
  ): Promise<readonly (EndpointKey & { readonly definitionId: string })[]>
  /** By shape and method. */
  endpoints(tenant: string, after: EndpointKey | undefined, limit: number): Promise<readonly EndpointView[]>
  /** `undefined`: no such instance. */
  answer(tenant: string, instanceId: string, afterSeq: number): Promise<AnswerLook | undefined>
}
