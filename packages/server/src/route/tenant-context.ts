import type { ApiContext } from './route.ts'

export type ContextOf = (tenant: string) => ApiContext

const MOST = 1_000

/** The context as a principal's tenant sees it. One is made for each and kept: requests share it. */
export function tenantContexts(context: ApiContext): ContextOf {
  const known = new Map([[context.tenant, context]])
  return (tenant) => {
    const found = known.get(tenant)
    if (found !== undefined) return found
    if (known.size >= MOST) known.clear()
    const made = { ...context, tenant }
    known.set(tenant, made)
    return made
  }
}
