import type { Finding, HealthProvider } from '@lockstep/coordination'
import type { Commands } from '../connection/commands.ts'
import type { Subscriptions } from '../connection/subscriptions.ts'
import { findings } from './findings.ts'

export interface HealthContext {
  readonly commands: Commands
  readonly subscriptions: Subscriptions
}

export function redisHealth({ commands, subscriptions }: HealthContext): HealthProvider {
  return {
    async probe() {
      const [time, text] = await Promise.all([
        commands.send(['TIME'], 'health') as Promise<[string, string]>,
        commands.send(['INFO'], 'health') as Promise<string>,
      ])
      const info = parseInfo(text)
      const found: Finding[] = [...findings(info), listening(subscriptions.state)]
      return {
        at: Number(time[0]) * 1_000 + Number(time[1]) / 1_000,
        server: info.get('server_name') ?? 'redis',
        version: info.get('valkey_version') ?? info.get('redis_version') ?? 'unknown 0',
        findings: found,
      }
    },
  }
}

/** `name:value` lines; later ones of the same name lose. */
export function parseInfo(text: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const line of text.split(/\r?\n/)) {
    const colon = line.indexOf(':')
    if (colon > 0 && !line.startsWith('#') && !found.has(line.slice(0, colon)))
      found.set(line.slice(0, colon), line.slice(colon + 1))
  }
  return found
}

function listening(state: Subscriptions['state']): Finding {
  const check = 'subscription'
  if (state === 'idle') return { check, level: 'ok', finding: 'Nobody listens for grants yet' }
  if (state === 'open') return { check, level: 'ok', finding: 'Grants and revocations arrive by message' }
  return {
    check,
    level: 'warning',
    finding: 'The listening connection is down: waiters find out by asking again, which is slower',
    fix: 'It reconnects by itself. If it stays down, look for a firewall or proxy that ends idle connections, and allow SUBSCRIBE to this user',
  }
}
