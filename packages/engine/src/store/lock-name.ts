/**
 * What a lock of a workflow is called in the store of locks. All tenants meet there, and so do the engine's own locks, so each pair of tenant and
 * key has a name of its own: `@tenant/key`. Keys of the default tenant stand bare, as code beside the workflows writes them, unless they could be
 * taken for a lock of somebody else: those that begin with `@`, or like a lock of the engine, are `@default/key`.
 */
const DEFAULT = 'default'
const MARK = '@'
/** The engine's own: leaders, singletons, maintenance, doctor, gates. */
const OWN = /^(?:election|singleton|maintenance|doctor|resume):/

export interface NamedLock {
  readonly tenant: string
  readonly key: string
}

export function lockNameOf(tenant: string, key: string): string {
  const isBare = tenant === DEFAULT && !key.startsWith(MARK) && !OWN.test(key)
  return isBare ? key : `${MARK}${escaped(tenant)}/${key}`
}

/** The inverse; `undefined`: no workflow takes a lock of that name. */
export function workflowLockOf(name: string): NamedLock | undefined {
  const slash = name.startsWith(MARK) ? name.indexOf('/') : -1
  const found =
    slash === -1
      ? { tenant: DEFAULT, key: name }
      : { tenant: unescaped(name.slice(MARK.length, slash)), key: name.slice(slash + 1) }
  return lockNameOf(found.tenant, found.key) === name ? found : undefined
}

/** Tenants of callers hold neither; those of an application may. */
const escaped = (tenant: string): string => tenant.replaceAll('%', '%25').replaceAll('/', '%2F')
const unescaped = (text: string): string => text.replaceAll('%2F', '/').replaceAll('%25', '%')
