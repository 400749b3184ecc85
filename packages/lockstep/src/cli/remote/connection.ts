/** Which server a command speaks to, as whom, and who said so. */
import { readFileSync } from 'node:fs'
import { errorMessage } from '@lockstep/base'
import { UsageError } from '../exit-codes.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { readProfiles } from './profiles.ts'

export const DEFAULT_URL = 'http://127.0.0.1:4400'

export interface ConnectionFlags {
  readonly url?: string
  readonly apiKey?: string
  readonly key?: string
  readonly profile?: string
}

interface Setting<T> {
  readonly value: T
  /** `--url`, `LOCKSTEP_URL`, `profile prod`, `default`. */
  readonly origin: string
}

export interface Connection {
  readonly url: Setting<string>
  readonly apiKey: Setting<string> | undefined
  /** Whose address it is, when it is one's. */
  readonly profile: string | undefined
}

/** A flag wins over a variable, that over the profile that is current; a profile named by a flag is a flag. */
export function connectionOf(flags: ConnectionFlags, environment: Terminal['environment']): Connection {
  const { LOCKSTEP_URL, LOCKSTEP_PROFILE } = environment
  const known = readProfiles(environment)
  const name = flags.profile ?? (LOCKSTEP_PROFILE || known.current)
  const found = name === undefined ? undefined : known.profiles[name]
  if (name !== undefined && found === undefined && name !== known.current)
    throw new UsageError({
      text: `There is no profile "${name}": sign in with "lockstep auth login ${name} --url https://…"`,
    })
  const profile = found && { value: found.url, origin: `profile ${name}` }
  const variable = LOCKSTEP_URL ? { value: LOCKSTEP_URL, origin: 'LOCKSTEP_URL' } : undefined
  const ranked = flags.profile === undefined ? [variable, profile] : [profile]
  const url =
    flags.url === undefined
      ? (ranked.find((each) => each !== undefined) ?? { value: DEFAULT_URL, origin: 'default' })
      : { value: flags.url, origin: '--url' }
  if (!/^https?:\/\/[^/\s]+/.test(url.value))
    throw new UsageError({ text: `"${url.value}" is no address: write --url http://host:port` })
  // The key of a profile is for its own server and for no other.
  const isItsServer = url === profile || (found !== undefined && url.value === found.url)
  const ofProfile = isItsServer && found?.apiKey ? { value: found.apiKey, origin: `profile ${name}` } : undefined
  return {
    url,
    apiKey: keyOf(flags) ?? (flags.profile === undefined ? (keyFrom(environment) ?? ofProfile) : ofProfile),
    profile: isItsServer ? name : undefined,
  }
}

function keyOf({ apiKey, key }: ConnectionFlags): Setting<string> | undefined {
  const value = apiKey ?? key
  return value === undefined ? undefined : { value, origin: '--api-key' }
}

/** A key on the command line can be seen by everybody on the machine: the environment, or a file, is better. */
function keyFrom({
  LOCKSTEP_API_KEY: key,
  LOCKSTEP_API_KEY_FILE: file,
}: Terminal['environment']): Setting<string> | undefined {
  if (key) return { value: key, origin: 'LOCKSTEP_API_KEY' }
  if (!file) return undefined
  try {
    return { value: readFileSync(file, 'utf8').trim(), origin: 'LOCKSTEP_API_KEY_FILE' }
  } catch (error) {
    throw new UsageError({ text: `LOCKSTEP_API_KEY_FILE must name a readable file (${errorMessage(error)})` })
  }
}
