/**
 * Tokens for bookmarks: whoever has one can hand in what is waited for, once, without any other right. A token is 256 random bits; the store knows
 * its hash only, so nobody can read it back. A wrong, expired or withdrawn token looks the same to whoever shows it.
 */
import { createHash } from 'node:crypto'
import { InvalidOption, type Random } from '@lockstep/base'
import { DEFAULT_TENANT } from '../start/start-request.ts'
import { toPayload } from '../step/payload.ts'
import type { HumanTaskStore, HumanTaskView, TokenView } from '../store/human-task-store.ts'
import type { StimulusStore } from '../store/stimulus-store.ts'
import type { HumanTasks } from './human-tasks.ts'

export interface ResumeTokensOptions {
  readonly humanTasks: HumanTaskStore
  readonly stimuli: StimulusStore
  readonly people: HumanTasks
  readonly random: Random
  readonly onStimulus: (instanceId: string) => void
}

export interface IssuedToken {
  /** Shown once: keep it, or issue another. */
  readonly token: string
  readonly expiresAt: number
}

/** What a token is for. */
export interface TokenSubject {
  readonly kind: string
  readonly name: string
  readonly instanceId: string
  readonly expiresAt: number
  /** Where it is for a human task. */
  readonly task: HumanTaskView | undefined
}

export interface UseToken {
  readonly tenant?: string
  readonly outcome?: string
  readonly data?: unknown
  readonly by?: string
}

export type TokenOutcome = 'done' | 'already-completed' | 'not-found'

const PREFIX = 'rt_'
const BYTES = 32
const TOKEN = /^rt_[A-Za-z0-9_-]{43}$/
const WEEK_MS = 7 * 86_400_000
/** Whoever finds an old mail could use what stands in it. */
const LONGEST_MS = 366 * 86_400_000

export class ResumeTokens {
  readonly #o: ResumeTokensOptions

  constructor(options: ResumeTokensOptions) {
    this.#o = options
  }

  /** For a bookmark, hence for a human task too. Several tokens may stand for one. `undefined`: nobody waits there. */
  async issue(
    bookmarkId: string,
    options: { readonly tenant?: string; readonly ttlMs?: number } = {},
  ): Promise<IssuedToken | undefined> {
    const { tenant = DEFAULT_TENANT, ttlMs = WEEK_MS } = options
    if (!(ttlMs >= 0 && ttlMs <= LONGEST_MS))
      throw new InvalidOption({ option: 'ttlMs', rule: 'at most 366 days', value: ttlMs })
    const token = `${PREFIX}${Buffer.from(this.#o.random.bytes(BYTES)).toString('base64url')}`
    const expiresAt = await this.#o.humanTasks.addToken({ tenant, hash: hashOf(token), bookmarkId, ttlMs })
    return expiresAt === undefined ? undefined : { token, expiresAt }
  }

  /** Consumes nothing. `undefined`: wrong, expired, or nobody waits any more. */
  async show(token: string, tenant: string = DEFAULT_TENANT): Promise<TokenSubject | undefined> {
    const found = await this.#find(token, tenant)
    if (found === undefined || !isGood(found)) return undefined
    const { kind = '', name = '', instanceId, expiresAt, bookmarkId } = found
    const task = kind === 'human' ? await this.#o.humanTasks.get(tenant, bookmarkId) : undefined
    if (kind === 'human' && task === undefined) return undefined // its row is being written
    return { kind, name, instanceId, expiresAt, task }
  }

  /** What it was made for, and whether something was handed in with it, whatever became of it. For the records: strangers are not told. */
  async trace(
    token: string,
    tenant: string = DEFAULT_TENANT,
  ): Promise<{ readonly instanceId: string; readonly isUsed: boolean } | undefined> {
    const found = await this.#find(token, tenant)
    return found && { instanceId: found.instanceId, isUsed: found.isUsed }
  }

  /** Hands in what is waited for. Throws what `HumanTasks.complete` throws, and the token can be used again then. */
  async use(token: string, { tenant = DEFAULT_TENANT, ...given }: UseToken): Promise<TokenOutcome> {
    const found = await this.#find(token, tenant)
    if (found === undefined) return 'not-found'
    if (found.isUsed) return 'already-completed'
    if (!isGood(found)) return 'not-found'
    const { bookmarkId, instanceId } = found
    const hash = hashOf(token)
    if (found.kind === 'human') {
      const { outcome } = await this.#o.people.completeBy({ tenant, id: bookmarkId, ...given }, hash)
      if (outcome !== 'already-completed') return outcome === 'done' ? 'done' : 'not-found'
      return (await this.#find(token, tenant))?.isUsed === true ? 'already-completed' : 'not-found'
    }
    const payload = JSON.stringify(toPayload(given.data ?? null, 'What was handed in'))
    const { kind } = await this.#o.stimuli.resume({ tenant, instanceId, bookmark: bookmarkId, payload })
    if (kind !== 'resumed') return 'not-found'
    await this.#o.humanTasks.tokenUsed(tenant, hash)
    this.#o.onStimulus(instanceId)
    return 'done'
  }

  #find(token: string, tenant: string): Promise<TokenView | undefined> {
    return TOKEN.test(token) ? this.#o.humanTasks.token(tenant, hashOf(token)) : Promise.resolve(undefined)
  }
}

/** Workers have their own way in. */
const isGood = ({ isExpired, isUsed, kind }: TokenView): boolean =>
  !isExpired && !isUsed && kind !== undefined && kind !== 'task'

const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex')
