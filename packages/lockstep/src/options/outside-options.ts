import { InvalidOption, isJsonObject } from '@lockstep/base'
import { DEFAULT_TENANT, parseSecretKeys, type SecretKey, type Secrets } from '@lockstep/engine'
import { onOff } from './one-of.ts'
import type { CodeOptions, RawOptions } from './raw-options.ts'

/** What a node may use outside of it, checked. */
export interface OutsideOptions {
  readonly rabbitmqUrl: string | undefined
  readonly mailUrl: string | undefined
  readonly mailFrom: string | undefined
  readonly outboundAllow: readonly string[]
  /** Whose steps may use all this: `default`, and whom the operator names; `*` is everybody. */
  readonly outboundTenants: readonly string[]
  /** Whether `sql-query` may run on the engine's own database. */
  readonly ownDatabase: boolean
  /** URLs by name. */
  readonly connections: Readonly<Record<string, string>>
  /** Of code, and of the environment. What the store keeps stands between them. */
  readonly secrets: Secrets
  readonly environmentSecrets: Secrets
  readonly secretKeys: readonly SecretKey[]
}

export function resolveOutsideOptions(raw: RawOptions & CodeOptions): OutsideOptions {
  return {
    rabbitmqUrl: url(raw, 'rabbitmqUrl', /^amqps?:\/\//, 'amqp://user:password@host:5672'),
    mailUrl: url(raw, 'mailUrl', /^smtps?:\/\//, 'smtp://user:password@host:587'),
    mailFrom: raw.mailFrom === '' ? undefined : raw.mailFrom,
    outboundAllow: allowOf(raw.outbound),
    outboundTenants: tenantsOf(raw.outboundTenants),
    ownDatabase: onOff(raw.sqlOwnDatabase, 'sqlOwnDatabase'),
    connections: connectionsOf(raw.connections),
    secrets: secretsOf(raw),
    environmentSecrets: raw.environmentSecrets ?? noSecrets,
    secretKeys: parseSecretKeys(raw.secretKeys),
  }
}

/** The message never repeats the URL: it holds a password. */
function url(raw: RawOptions, option: 'rabbitmqUrl' | 'mailUrl', form: RegExp, example: string): string | undefined {
  const given = raw[option]
  if (given === undefined || given === '') return undefined
  if (!form.test(given)) throw new InvalidOption({ option, rule: `a URL such as ${example}` })
  return given
}

/** Whether the entries make sense is for the engine to say. */
function allowOf(given: RawOptions['outbound']): readonly string[] {
  if (given === undefined) return []
  const list: unknown = typeof given === 'string' ? given.split(/[\s,]+/).filter(Boolean) : (given.allow ?? [])
  const strange = typeof given === 'string' ? undefined : Object.keys(given).find((key) => key !== 'allow')
  if (strange !== undefined || !Array.isArray(list) || !list.every((each) => typeof each === 'string'))
    throw new InvalidOption({ option: 'outbound', rule: 'of the form { allow: ["10.1.0.0/16", "billing.internal"] }' })
  return list
}

/** `default` is always one of them. */
function tenantsOf(given: RawOptions['outboundTenants'] = []): readonly string[] {
  const list: unknown = typeof given === 'string' ? given.split(/[\s,]+/).filter(Boolean) : given
  if (!Array.isArray(list) || !list.every((each) => typeof each === 'string' && /^(\*|[^*~]+)$/.test(each)))
    throw new InvalidOption({
      option: 'outboundTenants',
      rule: 'a list of tenants such as acme, or * for all',
      value: given,
    })
  return [...new Set([DEFAULT_TENANT, ...list])]
}

const NAME = /^[a-z][a-z0-9]*([_-][a-z0-9]+)*$/

function connectionsOf(given: RawOptions['connections']): Readonly<Record<string, string>> {
  if (given === undefined) return {}
  const pairs =
    typeof given === 'string'
      ? given
          .split(/\s+/)
          .filter(Boolean)
          .map((each): [string, string] => [each.replace(/=.*$/, ''), each.replace(/^[^=]*=?/, '')])
      : Object.entries(isJsonObject(given) ? given : { '': '' })
  for (const [name, value] of pairs) {
    if (!NAME.test(name) || typeof value !== 'string' || !/^postgres(ql)?:\/\//.test(value))
      throw new InvalidOption({
        option: NAME.test(name) ? `connections.${name}` : 'connections',
        rule: 'names in lower case with URLs such as postgres://user:password@host:5432/database',
      })
  }
  return Object.fromEntries(pairs)
}

const noSecrets: Secrets = async () => undefined

function secretsOf({ secrets = noSecrets }: CodeOptions): Secrets {
  if (typeof secrets !== 'function')
    throw new InvalidOption({
      option: 'secrets',
      rule: 'a function from a name and a tenant to a promise of its value',
    })
  return secrets
}
