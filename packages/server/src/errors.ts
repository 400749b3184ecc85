import { defineError } from '@lockstep/base'

export const PortInUse = defineError(
  'PORT_IN_USE',
  { retryable: false },
  (d: { host: string; port: number }) =>
    `Port ${d.port} on ${d.host} is in use by another program. Stop it, or choose another port with --port or LOCKSTEP_PORT`,
)

export const CannotListen = defineError(
  'CANNOT_LISTEN',
  { retryable: false },
  (d: { host: string; port: number; reason: string }) =>
    `Cannot listen on ${d.host}:${d.port} (${d.reason}). Choose another address with --host and --port`,
)
