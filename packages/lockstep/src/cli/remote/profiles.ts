/** Servers that a person has signed in to, in a file of their own that nobody else may read. */
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { errorMessage, isJsonObject } from '@lockstep/base'
import { UsageError } from '../exit-codes.ts'
import type { Terminal } from '../terminal/terminal.ts'

export interface Profile {
  readonly url: string
  readonly apiKey?: string
}

export interface Profiles {
  /** The one that counts where none is named. */
  readonly current?: string
  readonly profiles: Readonly<Record<string, Profile>>
}

export const PROFILE_NAME = /^[a-z0-9][a-z0-9._-]{0,62}$/i

/** `undefined`: this person has no home. */
export function profilesFile({ XDG_CONFIG_HOME: config, HOME: home }: Terminal['environment']): string | undefined {
  const folder = config || (home ? path.join(home, '.config') : undefined)
  return folder === undefined ? undefined : path.join(folder, 'lockstep', 'profiles.json')
}

export function readProfiles(environment: Terminal['environment']): Profiles {
  const file = profilesFile(environment)
  if (file === undefined || !existsSync(file)) return { profiles: {} }
  try {
    const found: unknown = JSON.parse(readFileSync(file, 'utf8'))
    if (!isJsonObject(found) || !isJsonObject(found.profiles)) throw new Error('it has no "profiles"')
    return found as unknown as Profiles
  } catch (error) {
    throw new UsageError({ text: `${file} cannot be read (${errorMessage(error)}): mend it, or delete it` })
  }
}

/** Whole or not at all, and for nobody else from its first moment. */
export function writeProfiles(environment: Terminal['environment'], profiles: Profiles): string {
  const file = profilesFile(environment)
  if (file === undefined) throw new UsageError({ text: 'There is no place for profiles: set HOME or XDG_CONFIG_HOME' })
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
  const beside = `${file}.${process.pid}`
  writeFileSync(beside, `${JSON.stringify(profiles, null, 2)}\n`, { mode: 0o600 })
  chmodSync(beside, 0o600)
  renameSync(beside, file)
  return file
}
