/**
 * A browser in which somebody has signed in before says so with a cookie of its own. Its tries are counted for itself alone: strangers who
 * guess at the same name, from however many addresses, do not keep its owner out. It opens nothing by itself, and whoever steals it has as few
 * tries as everybody.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Random } from '@lockstep/base'
import { cookieValue } from './cookie-value.ts'

export interface KnownDevices {
  /** Id of the device, if it is one on which this user has signed in. */
  read(header: string | undefined, user: string): string | undefined
  /** The header that makes it known; `device`: what it is known as already. */
  write(user: string, device: string | undefined): string
}

const NAME = 'lockstep-device'
const SHAPE = /^([A-Za-z0-9_-]{22})\.([A-Za-z0-9_-]{43})$/
const ID_BYTES = 16
const KEPT_S = 180 * 86_400

/** `path`: of the one route that reads it. */
export function knownDevices(
  secret: string,
  { secure, path, random }: { readonly secure: boolean; readonly path: string; readonly random: Random },
): KnownDevices {
  const proof = (user: string, device: string): string =>
    createHmac('sha256', secret).update(`device ${device} ${user}`).digest('base64url')
  const rest = `Path=${path}; HttpOnly; SameSite=Strict${secure ? '; Secure' : ''}; Max-Age=${KEPT_S}`
  return {
    read: (header, user) => {
      const [, device, proven] = SHAPE.exec(cookieValue(header, NAME) ?? '') ?? []
      if (device === undefined || proven === undefined) return undefined
      return timingSafeEqual(Buffer.from(proven), Buffer.from(proof(user, device))) ? device : undefined
    },
    write: (user, device = Buffer.from(random.bytes(ID_BYTES)).toString('base64url')) =>
      `${NAME}=${device}.${proof(user, device)}; ${rest}`,
  }
}
