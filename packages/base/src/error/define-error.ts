/** Options that every error of the catalogue takes besides its details. */
export interface ErrorContext {
  readonly cause?: unknown
}

/** An error of the catalogue: found by its code, so two copies of a package agree on it. */
export interface CatalogueError<Code extends string, Details> extends Error {
  readonly code: Code
  readonly details: Details
  /** Whether the same call may succeed later without a change by the caller. */
  readonly retryable: boolean
}

export interface ErrorKind<Code extends string, Details> {
  new (details: Details, context?: ErrorContext): CatalogueError<Code, Details>
  readonly code: Code
  readonly retryable: boolean
  /** Compares by code, never by class: the thrower may have loaded another copy of this module. */
  is(error: unknown): error is CatalogueError<Code, Details>
}

/** Declares one error of the closed catalogue. `docs/reference/errors.md` is tested against all of them. */
export function defineError<const Code extends string, Details extends object>(
  code: Code,
  traits: { readonly retryable: boolean },
  describe: (details: Details) => string,
): ErrorKind<Code, Details> {
  return class extends Error implements CatalogueError<Code, Details> {
    static readonly code = code
    static readonly retryable = traits.retryable
    static is(error: unknown): error is CatalogueError<Code, Details> {
      return errorCode(error) === code
    }

    readonly code = code
    readonly retryable = traits.retryable
    readonly details: Details

    constructor(details: Details, context: ErrorContext = {}) {
      super(describe(details), 'cause' in context ? { cause: context.cause } : undefined)
      this.name = code
      this.details = details
    }
  }
}

/** The stable code of an error, of ours or of a library that follows the same habit (`pg`, Node). */
export function errorCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}

export function isRetryable(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'retryable' in error && error.retryable === true
}

export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
