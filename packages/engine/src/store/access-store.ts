import type { Page } from './browse-store.ts'

/** Who may do what is the server's matter; these ports only keep what it needs to tell. Instants are the store's. */

export interface NewApiKey {
  readonly id: string
  readonly tenant: string
  readonly name: string
  /** SHA-256 of the secret, in hex. */
  readonly hash: string
  readonly role: string
  /** Narrows what the role may do; absent: all of it. */
  readonly permissions: readonly string[] | undefined
  readonly createdBy: string
  /** From now; absent: it never expires. */
  readonly expiresInMs: number | undefined
}

export interface ApiKeyRecord {
  readonly id: string
  readonly tenant: string
  readonly name: string
  readonly hash: string
  readonly role: string
  readonly permissions: readonly string[] | undefined
  readonly createdBy: string
  readonly createdAt: number
  readonly expiresAt: number | undefined
  readonly lastUsedAt: number | undefined
  readonly revokedAt: number | undefined
  /** Neither revoked nor expired, by the store's clock. */
  readonly live: boolean
}

/** Where a list goes on, and whose rows it has; `tenant` absent: those of all. */
export interface AccessPlace {
  readonly tenant: string | undefined
  /** Key of the row that the page lies behind. */
  readonly after: string | undefined
  readonly limit: number
}

export interface ApiKeyStore {
  add(key: NewApiKey): Promise<ApiKeyRecord>
  find(id: string): Promise<ApiKeyRecord | undefined>
  /** Newest first. */
  list(place: AccessPlace): Promise<readonly ApiKeyRecord[]>
  /** `undefined`: no such key of this tenant. Revoking twice keeps the first time. */
  revoke(id: string, tenant: string | undefined): Promise<ApiKeyRecord | undefined>
  /** Written at most once a minute for one key. */
  used(id: string): Promise<void>
}

export interface UserRecord {
  /** Unique in the whole store, in lower case. */
  readonly name: string
  readonly tenant: string
  readonly role: string
  /** Names its own parameters; see the server's `password.ts`. */
  readonly passwordHash: string
  readonly disabled: boolean
  readonly createdAt: number
  readonly lastSignInAt: number | undefined
}

export interface UserChange {
  readonly role?: string
  readonly passwordHash?: string
  readonly disabled?: boolean
}

export interface UserStore {
  /** `undefined`: the name is taken. */
  add(user: Pick<UserRecord, 'name' | 'tenant' | 'role' | 'passwordHash'>): Promise<UserRecord | undefined>
  find(name: string): Promise<UserRecord | undefined>
  /** By name. */
  list(place: AccessPlace): Promise<readonly UserRecord[]>
  /** Ends the user's sessions too. `undefined`: no such user of this tenant. */
  change(name: string, tenant: string | undefined, change: UserChange): Promise<UserRecord | undefined>
  remove(name: string, tenant: string | undefined): Promise<boolean>
}

export interface SessionRecord {
  readonly user: UserRecord
  readonly expiresAt: number
}

/** Sessions live here and not in a process: any node serves any user. `hash` is all that is known of the cookie. */
export interface SessionStore {
  open(hash: string, user: string, idleMs: number, longestMs: number): Promise<void>
  /** The session if it lives, and moves its end on when a part of its time has passed; with 0 it only looks. */
  touch(hash: string, idleMs: number): Promise<SessionRecord | undefined>
  end(hash: string): Promise<boolean>
  /** Every one of a user of this tenant; `tenant` absent: of any. Answers how many lived. */
  endAll(user: string, tenant: string | undefined): Promise<number>
}

/** What else there is to say of a change. */
export interface AuditDetail {
  readonly reason?: string
  readonly before?: unknown
  readonly after?: unknown
  /** Ids of what came to be by it. */
  readonly made?: readonly string[]
  /** How often it happened within a moment. Absent: once. */
  readonly times?: number
}

/** Somebody whom an issuer knows; no user of ours stands behind it. */
export interface IssuedSession {
  /** Unique among all principals. */
  readonly subject: string
  readonly name: string
  readonly tenant: string
  readonly role: string
}

export interface IssuedSessionStore {
  open(hash: string, session: IssuedSession, idleMs: number, longestMs: number): Promise<void>
  /** The session if it lives, and moves its end on when a part of its time has passed; with 0 it only looks. */
  touch(hash: string, idleMs: number): Promise<IssuedSession | undefined>
  end(hash: string): Promise<boolean>
  /** Every one of somebody in this tenant; `tenant` absent: in all. Answers how many lived. */
  endAll(subject: string, tenant: string | undefined): Promise<number>
}

export interface NewAuditEntry {
  readonly tenant: string
  /** When it was asked for, in milliseconds since 1970, by the clock of the node. */
  readonly at: number
  readonly actorKind: string
  readonly actor: string
  readonly operation: string
  /** What it was done to: the parameters of the path. */
  readonly target: string
  /** `done`, or the code of the problem. */
  readonly outcome: string
  readonly status: number
  readonly address: string
  readonly agent: string
  readonly node: string
  readonly detail?: AuditDetail | undefined
}

export interface AuditEntry extends NewAuditEntry {
  /** Rises in the order of writing. */
  readonly seq: string
}

export interface AuditFilter {
  /** What the path or the body of the request named, at its beginning, or what came to be by it. */
  readonly target: string | undefined
  readonly actor: string | undefined
  readonly operation: string | undefined
  readonly outcome: string | undefined
  /** Epoch milliseconds; the second is no part of it. */
  readonly from: number | undefined
  readonly until: number | undefined
}

/** Append only: nothing here changes an entry, and the store refuses to, and to delete any that is younger than 30 days. */
export interface AuditStore {
  append(entries: readonly NewAuditEntry[]): Promise<void>
  /** Newest first. Looks at a bounded number of entries; keys are their numbers. */
  list(place: AccessPlace, filter: AuditFilter): Promise<Page<AuditEntry>>
  /** Deletes entries older than this, the oldest first; answers how many. */
  trim(keepMs: number, limit: number): Promise<number>
}

/** Settings that a cluster makes up once and all its nodes share. */
export interface SharedSecretStore {
  /** Keeps `value` under `name` unless there is one, and answers the one that counts. */
  settle(name: string, value: string): Promise<string>
}

/** Strangers who hold a resume token name no tenant: the token does. */
export interface TokenTenantStore {
  /** `undefined`: no such token. */
  tenantOf(hash: string): Promise<string | undefined>
}

export interface AccessStore {
  readonly keys: ApiKeyStore
  readonly users: UserStore
  readonly sessions: SessionStore
  readonly issuedSessions: IssuedSessionStore
  readonly audit: AuditStore
  readonly sharedSecrets: SharedSecretStore
  readonly resumeTokens: TokenTenantStore
}
