import { defineError } from '@lockstep/base'

export const SecretKeysMissing = defineError(
  'SECRET_KEYS_MISSING',
  { retryable: false },
  (_: object) =>
    'This node has no key to seal secrets with: set LOCKSTEP_SECRET_KEYS (or LOCKSTEP_SECRET_KEYS_FILE) to 32 random bytes, the same on every node: openssl rand -base64 32',
)

export const SecretNotFound = defineError(
  'SECRET_NOT_FOUND',
  { retryable: false },
  (d: { name: string }) => `No secret "${d.name}"`,
)
