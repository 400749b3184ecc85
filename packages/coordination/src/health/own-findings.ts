import type { Finding } from './health-provider.ts'

/** A renewal is sent at a third of a lease's life: a call that takes a tenth of it leaves room for little else to go wrong. */
export function roundTripFinding(roundTripMs: number, ttlMs: number): Finding {
  const check = 'round-trip'
  const took = `The store answered in ${roundTripMs.toFixed(1)} ms`
  if (roundTripMs <= 100 && roundTripMs * 10 <= ttlMs) return { check, level: 'ok', finding: took }
  return {
    check,
    level: roundTripMs * 3 > ttlMs ? 'error' : 'warning',
    finding: `${took}; leases live ${ttlMs} ms`,
    fix: 'Bring the processes nearer to the store, look for its load, or give leases a longer life (ttlMs of at least ten round trips).',
  }
}

export function clockFinding(offsetMs: number, tookMs: number): Finding {
  const check = 'clock-offset'
  const apart = Math.abs(offsetMs)
  const side = offsetMs >= 0 ? 'ahead of' : 'behind'
  const finding = `The store's clock is ${apart.toFixed(0)} ms ${side} this machine's (within ${(tookMs / 2).toFixed(1)} ms)`
  if (apart <= 1_000) return { check, level: 'ok', finding }
  return {
    check,
    level: 'warning',
    finding: `${finding}. Leases do not suffer from it, but times in logs and in the monitor do not match`,
    fix: 'Let both machines follow a time server.',
  }
}

export function stallFinding(delayMs: number, ttlMs: number): Finding {
  const check = 'event-loop'
  const finding = `A timer of this process came ${delayMs.toFixed(1)} ms late`
  if (delayMs <= 250 && delayMs * 10 <= ttlMs) return { check, level: 'ok', finding }
  return {
    check,
    level: delayMs * 3 > ttlMs ? 'error' : 'warning',
    finding: `${finding}; leases live ${ttlMs} ms and are given up when this process stalls for too long`,
    fix: 'Move long computations into worker threads, or split them.',
  }
}
