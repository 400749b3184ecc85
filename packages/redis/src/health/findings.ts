import type { Finding } from '@lockstep/coordination'

type Info = ReadonlyMap<string, string>

const OLDEST_MAJOR = 6

/** What the server says about itself, judged as a store of leases. Pure. */
export function findings(info: Info): Finding[] {
  return [eviction(info), memory(info), persistence(info), replica(info), version(info)]
}

function eviction(info: Info): Finding {
  const check = 'eviction-policy'
  const policy = info.get('maxmemory_policy')
  if (policy === undefined)
    return {
      check,
      level: 'warning',
      finding: 'The server does not say what it evicts when memory is short',
      fix: 'Make sure that maxmemory-policy is noeviction',
    }
  if (policy === 'noeviction')
    return { check, level: 'ok', finding: 'Nothing is evicted when memory is short (noeviction)' }
  return {
    check,
    level: 'error',
    finding: `maxmemory-policy is ${policy}: when memory is short, Redis throws away leases that are held`,
    fix: 'CONFIG SET maxmemory-policy noeviction, and write it into redis.conf; keep caches on another server',
  }
}

function memory(info: Info): Finding {
  const check = 'memory'
  const max = Number(info.get('maxmemory') ?? 0)
  const used = Number(info.get('used_memory') ?? 0)
  if (max === 0) return { check, level: 'ok', finding: 'There is no limit on memory (maxmemory 0)' }
  const percent = Math.round((used / max) * 100)
  const finding = `${percent} % of maxmemory is in use`
  if (percent < 90) return { check, level: 'ok', finding }
  return {
    check,
    level: 'warning',
    finding: `${finding}: when it is full, new leases are refused`,
    fix: 'Raise maxmemory, or move other data to another server',
  }
}

function persistence(info: Info): Finding {
  const check = 'persistence'
  if (info.get('aof_enabled') === '1')
    return {
      check,
      level: 'ok',
      finding: 'Leases are in the append-only file and survive a restart, up to its last sync',
    }
  return {
    check,
    level: 'warning',
    finding:
      'The append-only file is off: a restarted server has forgotten every lease, and whoever asks gets one at once. Fences still rise, so a resource that checks them is safe',
    fix: 'CONFIG SET appendonly yes (appendfsync everysec), or check fences at every resource, or start a crashed server only after the longest TTL',
  }
}

function replica(info: Info): Finding {
  const check = 'replica'
  if (info.get('role') === 'master') return { check, level: 'ok', finding: 'This is a primary' }
  return {
    check,
    level: 'error',
    finding: `This server is a ${info.get('role') ?? 'server of unknown role'}, not a primary: it refuses leases`,
    fix: 'Point the URL at the primary',
  }
}

function version(info: Info): Finding {
  const check = 'version'
  const text = info.get('redis_version') ?? ''
  const major = Number.parseInt(text, 10)
  if (major >= OLDEST_MAJOR) return { check, level: 'ok', finding: `Version ${text} has everything that is needed` }
  return {
    check,
    level: 'error',
    finding: text === '' ? 'The server does not say its version' : `Version ${text} is too old`,
    fix: `Use Redis ${OLDEST_MAJOR} or later, or Valkey`,
  }
}
