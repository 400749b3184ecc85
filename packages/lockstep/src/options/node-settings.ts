import type { ServerSetting } from '@lockstep/server'
import type { NodeOptions } from './node-options.ts'
import { environmentNames, optionNames, type RawOptions } from './raw-options.ts'
import { isHidden, shownOption } from './shown-option.ts'

/** What a node runs with, option by option, and who set it. Nothing in it opens anything. */
export function nodeSettings(options: NodeOptions): readonly ServerSetting[] {
  const effective = effectiveOptions(options)
  return optionNames.map((name) => {
    const value = effective[name]
    const isSet = value !== undefined && value !== null
    return {
      name,
      variable: environmentNames[name],
      value: isSet && !isHidden(name) ? shownOption(name, value) : null,
      isSecret: isHidden(name),
      isSet,
      origin: options.origins[name] ?? 'default',
    }
  })
}

/** `undefined`: nothing is set, and the defaults hold. */
const pairs = (entries: readonly (readonly [string, string | number])[]): string | undefined =>
  entries.length === 0 ? undefined : entries.map((each) => each.join('=')).join(',')

const onOff = (on: boolean): string => (on ? 'on' : 'off')

/** In the words of the options. */
function effectiveOptions(options: NodeOptions): Readonly<Record<keyof RawOptions, unknown>> {
  const { access, logLevels, retention, ...rest } = options
  const { oidc, rateLimit } = access
  return {
    ...rest,
    auth: access.auth,
    apiKey: access.apiKey,
    secret: access.secret,
    secretKeys: options.secretKeys.length === 0 ? undefined : options.secretKeys.length,
    oidcIssuer: oidc?.issuer,
    oidcAudience: oidc?.audience,
    oidcClientId: oidc?.clientId,
    oidcClientSecret: oidc?.clientSecret,
    oidcRoleClaim: oidc?.roleClaim,
    oidcTenantClaim: oidc?.tenantClaim,
    publicUrl: access.publicUrl,
    requireHttps: onOff(access.requireHttps),
    rateLimit: rateLimit === undefined ? 'off' : `${rateLimit.burst}/${rateLimit.perMs}ms`,
    corsOrigins: access.corsOrigins.join(','),
    trustProxy: access.trustProxy.join(','),
    outbound: options.outboundAllow.join(','),
    outboundTenants: options.outboundTenants.join(','),
    sqlOwnDatabase: onOff(options.ownDatabase),
    connections: Object.keys(options.connections).length === 0 ? undefined : true,
    watch: onOff(options.watch),
    samples: onOff(options.samples),
    serverTiming: onOff(options.serverTiming),
    gate: onOff(options.gate),
    roles: options.roles.join(','),
    retention: pairs(Object.entries(retention)),
    logLevel: [logLevels.level, ...[...logLevels.areas].map((each) => each.join('='))].join(','),
  }
}
