/**
 * The state is plain JSON, so its dictionaries inherit from Object.prototype after a restore. Authors may call a step
 * `constructor` and a variable `__proto__`: read and write own members only.
 */
export function ownMember<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined
}

export function setMember<T>(record: Record<string, T>, key: string, value: T): void {
  if (key === '__proto__')
    Object.defineProperty(record, key, { value, enumerable: true, writable: true, configurable: true })
  else record[key] = value
}
