/**
 * Doors for anybody: what workflows answer, links for people, sign-on. `counted`: whoever comes is counted. `asked`: besides, those who say
 * who they are come as that one. Where nobody is asked at all, the browser must not come on behalf of another site.
 */
import type { Access } from './access.ts'
import { CrossSite } from './errors.ts'
import type { Principal } from './principal.ts'
import type { Asking } from './same-site.ts'

export type Visitors = 'counted' | 'asked'

type MaybeKnown = Principal | undefined | Promise<Principal | undefined>

/** `undefined`: a stranger. Throws for wrong credentials, and for requests of other sites where there are none to have. */
export function identifyVisitor(access: Access, visitors: Visitors, { method, headers, ip }: Asking): MaybeKnown {
  // A request that starts something changes something, whatever its method is.
  if (access.auth === 'none') return access.identify({ method: visitors === 'asked' ? 'POST' : method, headers, ip })
  return visitors === 'asked' ? ofOwnAccord(access, { method: 'POST', headers, ip }) : undefined
}

/** A cookie that the page of another site made the browser send proves nothing: it is as none. Other schemes than ours are not for us. */
async function ofOwnAccord(access: Access, { headers, ...asking }: Asking): Promise<Principal | undefined> {
  const { authorization, ...rest } = headers
  const isOurs = authorization !== undefined && /^bearer\b/i.test(authorization)
  try {
    return await access.identify({ ...asking, headers: isOurs ? headers : rest })
  } catch (error) {
    if (CrossSite.is(error)) return undefined
    throw error
  }
}
