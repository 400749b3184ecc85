import { errorMessage } from '@lockstep/base'
import { ServerMissing } from './errors.ts'
import { type Locator, locatorFor } from './find-binary.ts'
import { aptInstaller, type Installer } from './install-packages.ts'
import type { Progress } from './progress.ts'

/** Options that every server takes. */
export interface StartOptions {
  /** Print no progress on stderr. @default false */
  readonly quiet?: boolean
  /** Where the variables that name external servers are read from. @default process.env */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Finds the servers' programs. @default PATH of `env`, then where Debian puts them */
  readonly locate?: Locator
  /** Gets what is not found. @default apt-get, where there is one and this is root */
  readonly install?: Installer
}

export interface Wanted {
  /** As a person would call it. */
  readonly server: string
  readonly binary: string
  /** Debian's names. */
  readonly packages: readonly string[]
  /** Names an external server instead. */
  readonly variable: string
}

const installFromDebian = aptInstaller()

export function locatorOf({ locate, env = process.env }: StartOptions): Locator {
  return locate ?? locatorFor(env.PATH)
}

/** The path of a program, after installing it where that is possible. */
export async function requireBinary(wanted: Wanted, options: StartOptions, progress: Progress): Promise<string> {
  const { server, binary, packages, variable } = wanted
  const { install: installer = installFromDebian } = options
  const locate = locatorOf(options)
  const missing = (reason: string, cause?: unknown): Error =>
    new ServerMissing({ server, binary, packages, variable, reason }, { cause })

  const found = locate(binary)
  if (found) return found
  const unable = installer.unable()
  if (unable) throw missing(unable)

  progress(`${server} is not here: installing ${packages.join(', ')}`)
  try {
    await installer.install(packages, () => locate(binary) !== undefined, progress)
  } catch (error) {
    throw missing(`installing it failed: ${errorMessage(error)}`, error)
  }
  const installed = locate(binary)
  if (!installed) throw missing('the installed packages did not bring it')
  return installed
}
