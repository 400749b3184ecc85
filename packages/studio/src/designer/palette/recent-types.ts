const KEY = 'lockstep-recent-steps'
const MOST = 6

/** What was put on a canvas lately in this browser, the latest first. */
export function recentTypes(): readonly string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]')
    return Array.isArray(kept) ? kept.filter((each) => typeof each === 'string').slice(0, MOST) : []
  } catch {
    return []
  }
}

export function rememberType(type: string): void {
  const types = [type, ...recentTypes().filter((each) => each !== type)].slice(0, MOST)
  localStorage.setItem(KEY, JSON.stringify(types))
}
