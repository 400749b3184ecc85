import { connect } from 'node:net'
import { errorCode } from '@lockstep/base'
import type { Target } from '../proxy/target.ts'
import { defineFault, type Fault } from './fault.ts'

export interface RefusalLanding {
  readonly port: number
}

/**
 * The proxy stops listening: new connections get ECONNREFUSED, present ones stay. Lifted, it listens on the same port.
 * Refused clients never reach the proxy, so it proves itself with a probe: it strikes when the probe is refused.
 */
export function refuse(): Fault<RefusalLanding> {
  return defineFault('refuse', (site, land) => {
    const reopen = site.shutPort()
    const probe = probeRefusal(site.address, () => {
      site.counters.refused++
      land({ port: site.address.port })
    })
    return async () => {
      await probe.cancel()
      await reopen()
    }
  })
}

function probeRefusal(address: Target, refused: () => void): { cancel(): Promise<void> } {
  const socket = connect(address)
  const gone = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  socket.once('connect', () => socket.destroy())
  socket.once('error', (error) => {
    if (errorCode(error) === 'ECONNREFUSED') refused()
  })
  return {
    cancel() {
      socket.destroy()
      return gone
    },
  }
}
