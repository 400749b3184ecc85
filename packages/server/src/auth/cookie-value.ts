/** Of the cookie with this name in a request's header. */
export function cookieValue(header: string | undefined, name: string): string | undefined {
  for (const pair of header?.split(';') ?? []) {
    const [key, value = ''] = pair.trim().split('=', 2)
    if (key === name) return value
  }
  return undefined
}
