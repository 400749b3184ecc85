import { InvalidOption } from '@lockstep/base'
import type { UserTransaction } from '../store/transaction-store.ts'
import type { Pins } from '../test-run/pin.ts'
import { isTestTenant } from '../test-run/test-tenant.ts'

export const DEFAULT_TENANT = 'default'

export interface StartRequest {
  readonly tenant?: string
  readonly definitionId: string
  /** @default the published version */
  readonly version?: number
  readonly input?: unknown
  readonly correlationId?: string
  /** Two starts of one definition with the same key are one instance. */
  readonly dedupeKey?: string
  /** Activity id of the trigger that starts it; it begins there. */
  readonly trigger?: string
  /** 0 to 9; the highest goes first where starts wait. @default what the flow policy says, else 0 */
  readonly priority?: number
  /** Joins the caller's own transaction: the instance exists when that commits. */
  readonly tx?: UserTransaction
  /** The span that its trace is below, as a `traceparent`. @default the one in which it is started */
  readonly trace?: string
  /** Test runs only: steps that are not executed, and what they answer instead. */
  readonly pins?: Pins
}

export interface StartedInstance {
  readonly instanceId: string
  /** `false`: an instance with the same dedupe key was there first; this is its id. */
  readonly created: boolean
  /** Whether it runs on this node. */
  readonly here: boolean
  /**
   * What its flow policy made of it; absent without one. `queued`: it waits for its turn. `gathered`: its input goes into this instance,
   * which starts later. `attached`: this instance was alive, nothing was started.
   */
  readonly flow?: 'started' | 'queued' | 'gathered' | 'attached'
}

const LONGEST_TEXT = 512

/** Texts that stand in indexes: short, and without the one character that the store cannot hold. */
export function checkText(value: string | undefined, option: string): void {
  if (value === undefined || (value.length > 0 && value.length <= LONGEST_TEXT && !value.includes('\0'))) return
  throw new InvalidOption({ option, rule: `text of 1 to ${LONGEST_TEXT} characters without NUL` })
}

/** Nobody gets around a step of a real run. */
export function checkPins(tenant: string, pins: Pins | undefined): void {
  if (pins !== undefined && !isTestTenant(tenant))
    throw new InvalidOption({ option: 'pins', rule: 'for test runs only' })
}
