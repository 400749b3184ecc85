import { defineError } from '@lockstep/base'

export type ServerName = 'PostgreSQL' | 'Redis' | 'RabbitMQ'

export const ServerMissing = defineError(
  'SERVER_MISSING',
  { retryable: false },
  (d: { server: string; binary: string; packages: readonly string[]; variable: string; reason: string }) =>
    `${d.server} is not here: no "${d.binary}" found on PATH or in the usual places, and ${d.reason}. ` +
    `Install it (Debian and Ubuntu, as root: apt-get install -y --no-install-recommends ${d.packages.join(' ')}; ` +
    `elsewhere: put "${d.binary}" on PATH), or name a running server in ${d.variable}`,
)

export const ServerFailed = defineError(
  'SERVER_FAILED',
  { retryable: false },
  (d: { server: string; doing: string; log: readonly string[] }) =>
    [`${d.server} failed while ${d.doing}`, ...d.log.map((line) => `  | ${line}`)].join('\n'),
)

export const ServerStopped = defineError(
  'SERVER_STOPPED',
  { retryable: false },
  (d: { server: ServerName; verb: string }) =>
    `Cannot ${d.verb} ${d.server}: stop() has ended it and removed its folder. Start a new one`,
)

export const ExternalServer = defineError(
  'EXTERNAL_SERVER',
  { retryable: false },
  (d: { server: ServerName; verb: string; variable: string }) =>
    `Cannot ${d.verb} ${d.server}: it is an external server, named by ${d.variable}, and not ours to harm. ` +
    `Unset ${d.variable} to have the harness start its own`,
)

export const HarnessNotBuilt = defineError(
  'HARNESS_NOT_BUILT',
  { retryable: false },
  (d: { file: string }) =>
    `"${d.file}" does not exist: the process that guards servers runs from dist. Run npm run build first`,
)

export const SqlFailed = defineError(
  'SQL_FAILED',
  { retryable: false },
  (d: { doing: string; message: string }) => `psql failed while ${d.doing}: ${d.message}`,
)
