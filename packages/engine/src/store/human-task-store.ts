/** Work for a person. Its id is also that of the bookmark at which its instance waits. */
export interface NewHumanTask {
  readonly tenant: string
  readonly id: string
  readonly instanceId: string
  readonly step: string
  readonly title: string
  readonly description: string | undefined
  /** JSON text of the schema of what is handed in; absent: anything. */
  readonly form: string | undefined
  readonly outcomes: readonly string[]
  readonly assignee: string | undefined
  readonly candidates: readonly string[]
  /** From now; only shown. */
  readonly dueInMs: number | undefined
}

/** `cancelled`: its instance does not wait for it any more. */
export type HumanTaskStatus = 'open' | 'completed' | 'cancelled'

export interface HumanTaskView {
  readonly tenant: string
  readonly id: string
  readonly instanceId: string
  readonly step: string
  readonly title: string
  readonly description: string | undefined
  /** Parsed JSON. */
  readonly form: unknown
  readonly outcomes: readonly string[]
  readonly assignee: string | undefined
  readonly candidates: readonly string[]
  readonly dueAt: number | undefined
  readonly status: HumanTaskStatus
  readonly outcome: string | undefined
  readonly completedBy: string | undefined
  readonly createdAt: number
  readonly endedAt: number | undefined
}

export type HumanTaskVerdict = 'done' | 'already-completed' | 'cancelled' | 'not-found'

export interface HumanTaskEnd {
  readonly tenant: string
  readonly id: string
  readonly outcome: string
  readonly by: string | undefined
  /** JSON text for the instance. */
  readonly message: string
  /** Of the token that was used, where one was. */
  readonly tokenHash: string | undefined
}

export interface HumanTaskFilter {
  readonly status?: HumanTaskStatus | undefined
  readonly assignee?: string | undefined
  /** Assigned to nobody, with this one among the candidates. */
  readonly candidate?: string | undefined
  readonly instanceId?: string | undefined
}

export interface NewToken {
  readonly tenant: string
  readonly hash: string
  readonly bookmarkId: string
  readonly ttlMs: number
}

/** What a token stands for. */
export interface TokenView {
  readonly bookmarkId: string
  readonly instanceId: string
  /** Of the bookmark; absent: it is gone. */
  readonly kind: string | undefined
  readonly name: string | undefined
  readonly isExpired: boolean
  readonly isUsed: boolean
  readonly expiresAt: number
}

/** Work that waits for people, and tokens with which strangers can do it. Every method is one transaction. */
export interface HumanTaskStore {
  /** Repeating it is harmless. Does nothing when the instance does not wait at its bookmark any more. */
  open(task: NewHumanTask): Promise<void>
  /** Decides the task; the first one counts. */
  end(end: HumanTaskEnd): Promise<HumanTaskVerdict>
  get(tenant: string, id: string): Promise<HumanTaskView | undefined>
  /** Newest first, those below `before`. With a filter it looks at the next 10,000. */
  list(
    tenant: string,
    filter: HumanTaskFilter,
    before: string | undefined,
    limit: number,
  ): Promise<readonly HumanTaskView[]>
  /** Answers when it ends; `undefined`: there is no such bookmark. */
  addToken(token: NewToken): Promise<number | undefined>
  token(tenant: string, hash: string): Promise<TokenView | undefined>
  /** For bookmarks that are no human tasks: those note it themselves. */
  tokenUsed(tenant: string, hash: string): Promise<void>
}
