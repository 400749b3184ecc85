import { redactText } from '../log/redact.ts'
import type { RawOptions } from './raw-options.ts'

/** Options that hold a credential, whole or within an address. */
const HIDDEN: ReadonlySet<keyof RawOptions> = new Set([
  ...(['apiKey', 'secret', 'secretKeys', 'oidcClientSecret', 'connections'] as const),
])

export const isHidden = (option: keyof RawOptions): boolean => HIDDEN.has(option)

/** What may be shown of the value of an option: no password in an address, and nothing of its query, where there may be another one. */
export function shownOption(option: keyof RawOptions, value: unknown): string {
  if (isHidden(option)) return '***'
  const text = redactText(typeof value === 'string' ? value : JSON.stringify(value))
  if (!option.endsWith('Url') && option !== 'otlpEndpoint') return text
  // A name without a password is often a token.
  return text.replace(/:\/\/[^\s/:@]+@/, '://[withheld]@').replace(/\?.*$/s, '?…')
}
