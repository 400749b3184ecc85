import type * as base from '@lockstep/base'
import type * as coordination from '@lockstep/coordination'
import type * as engine from '@lockstep/engine'
import type * as access from '../auth/errors.ts'
import type * as startup from '../errors.ts'
import type * as overload from '../overload/overload-errors.ts'
import type * as instance from './instance-errors.ts'
import type * as request from './request-errors.ts'

/** Codes of every error that a module declares with `defineError`. */
type CodesOf<Module> = {
  [Name in keyof Module]: Module[Name] extends {
    readonly code: infer Code extends string
    readonly retryable: boolean
    is(error: unknown): boolean
  }
    ? Code
    : never
}[keyof Module]

/** Of whichever store is plugged in. Providers are not imported here, so these are written out. */
type StoreCode =
  | 'COMMIT_UNKNOWN'
  | 'CONNECTION_LOST'
  | 'DATABASE_BUSY'
  | 'DATABASE_TIMEOUT'
  | 'DATABASE_UNREACHABLE'
  | 'DATABASE_CLOSED'
  | 'DATABASE_REFUSED'
  | 'UNEXPECTED_ROW_COUNT'

/** The closed catalogue: whatever can come up while a request is answered. */
export type ErrorCode =
  | CodesOf<typeof base>
  | CodesOf<typeof coordination>
  | CodesOf<typeof engine>
  | CodesOf<typeof startup>
  | CodesOf<typeof access>
  | CodesOf<typeof overload>
  | CodesOf<typeof instance>
  | CodesOf<typeof request>
  | StoreCode
