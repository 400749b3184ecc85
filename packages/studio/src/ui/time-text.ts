const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** `340 ms`, `4.2 s`, `3 min 12 s`, `2 h 5 min`, `3 d 4 h`. */
export function durationText(ms: number): string {
  const positive = Math.max(0, ms)
  if (positive < SECOND) return `${Math.round(positive)} ms`
  if (positive < 10 * SECOND) return `${(Math.floor(positive / 100) / 10).toFixed(1)} s`
  if (positive < MINUTE) return `${Math.floor(positive / SECOND)} s`
  if (positive < HOUR) return two(positive, MINUTE, 'min', SECOND, 's')
  if (positive < DAY) return two(positive, HOUR, 'h', MINUTE, 'min')
  return two(positive, DAY, 'd', HOUR, 'h')
}

function two(ms: number, large: number, largeName: string, small: number, smallName: string): string {
  const rest = Math.floor((ms % large) / small)
  return `${Math.floor(ms / large)} ${largeName}${rest === 0 ? '' : ` ${rest} ${smallName}`}`
}

/** `12 s ago`, `in 3 min`, `just now`. Coarse: it is read at a glance. */
export function relativeText(at: number, now: number): string {
  const away = Math.abs(now - at)
  if (away < 2 * SECOND) return 'just now'
  const text =
    away < MINUTE
      ? `${Math.floor(away / SECOND)} s`
      : away < HOUR
        ? `${Math.floor(away / MINUTE)} min`
        : away < DAY
          ? `${Math.floor(away / HOUR)} h`
          : `${Math.floor(away / DAY)} d`
  return at > now ? `in ${text}` : `${text} ago`
}

/** `00:12:31`, for countdowns that tick. */
export function clockText(ms: number): string {
  const whole = Math.max(0, Math.ceil(ms / SECOND))
  const [h, m, s] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60), whole % 60]
  if (h >= 48) return durationText(whole * SECOND)
  return [h, m, s].map((each) => String(each).padStart(2, '0')).join(':')
}

/** A uuid behind its prefix, shortened in the middle: the end differs from its neighbours, the beginning is the time. */
export function shortId(id: string): string {
  const cut = id.indexOf('_') + 1
  const bare = id.slice(cut)
  return bare.length <= 13 ? id : `${id.slice(0, cut)}${bare.slice(0, 4)}…${bare.slice(-6)}`
}
