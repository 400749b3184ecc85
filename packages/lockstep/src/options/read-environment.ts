import { readFileSync } from 'node:fs'
import { errorMessage, InvalidOption } from '@lockstep/base'
import { DEFAULT_TENANT, type Secrets } from '@lockstep/engine'
import { type CodeOptions, environmentNames, optionNames, type RawOptions } from './raw-options.ts'

/** What may be written shorter. */
const shortNames: Partial<Record<keyof RawOptions, string>> = { logLevel: 'LOCKSTEP_LOG' }

export type Environment = Readonly<Record<string, string | undefined>>

/** The options that the environment sets; `LOCKSTEP_DATABASE_URL_FILE` and its like name a file that holds the value. */
export function readEnvironment(environment: Environment): RawOptions & CodeOptions {
  const found: Partial<Record<keyof RawOptions, string>> = {}
  for (const option of optionNames) {
    const name = environmentNames[option]
    const value = environment[name] ?? readFrom(`${name}_FILE`, environment) ?? environment[shortNames[option] ?? '']
    // Secrets of Kubernetes are made of files, whose last line has an end that is no part of the value.
    const trimmed = value?.trim() ?? ''
    if (trimmed !== '') found[option] = trimmed
  }
  return { ...found, environmentSecrets: secretsFrom(environment) }
}

/** These would name settings of the node itself: `LOCKSTEP_SECRET_KEYS`, and every `…_FILE`. */
const RESERVED = /^keys$|(^|-)file$/

/**
 * Secret `billing-token` is `LOCKSTEP_SECRET_BILLING_TOKEN`, or what the file holds that `LOCKSTEP_SECRET_BILLING_TOKEN_FILE` names.
 * Whoever runs the node set them for themselves: other tenants have none of them.
 */
export function secretsFrom(environment: Environment): Secrets {
  return async (name, tenant) => {
    if (tenant !== DEFAULT_TENANT || RESERVED.test(name)) return undefined
    const variable = `LOCKSTEP_SECRET_${name.toUpperCase().replaceAll('-', '_')}`
    return environment[variable] ?? readFrom(`${variable}_FILE`, environment)
  }
}

function readFrom(name: string, environment: Environment): string | undefined {
  const file = environment[name]
  if (file === undefined || file === '') return undefined
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (cause) {
    throw new InvalidOption({ option: name, rule: `the path of a readable file (${errorMessage(cause)})` }, { cause })
  }
}
