const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']
const SHORT = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']

/** What a cron says, where that is one of the shapes people write most; `undefined` for the others, which are shown as they stand. */
export function cronWords(cron: string): string | undefined {
  const fields = cron.trim().split(/\s+/)
  if (fields.length !== 5) return undefined
  const [minute, hour, date, month, day] = fields as [string, string, string, string, string]
  if (month !== '*') return undefined
  if (hour === '*' && date === '*' && day === '*') return ofMinute(minute)
  if (date === '*' && day === '*' && hour.includes('/')) return ofHours(hour, minute)
  const at = clock(hour, minute)
  if (at === undefined) return undefined
  if (date === '*' && day === '*') return `Every day at ${at}`
  if (date === '*') return ofDays(day, at)
  return day === '*' && /^\d+$/.test(date) ? `On day ${date} of every month at ${at}` : undefined
}

function ofMinute(minute: string): string | undefined {
  if (minute === '*' || minute === '*/1') return 'Every minute'
  const every = /^(?:\*|0)\/(\d+)$/.exec(minute)?.[1]
  if (every !== undefined) return 60 % Number(every) === 0 ? `Every ${every} minutes` : undefined
  if (minute === '0') return 'Every hour, on the hour'
  return /^\d+$/.test(minute) ? `Every hour at minute ${minute}` : undefined
}

function ofHours(hour: string, minute: string): string | undefined {
  const every = /^(?:\*|0)\/(\d+)$/.exec(hour)?.[1]
  if (every === undefined || 24 % Number(every) !== 0 || !/^\d+$/.test(minute)) return undefined
  return `Every ${every} hours${minute === '0' ? ', on the hour' : ` at minute ${minute}`}`
}

const clock = (hour: string, minute: string): string | undefined =>
  /^\d+$/.test(hour) && /^\d+$/.test(minute) ? `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}` : undefined

function ofDays(field: string, at: string): string | undefined {
  const range = field.split('-').map(dayName)
  if (range.length === 2 && range.every((name) => name !== undefined)) return `${range.join(' to ')} at ${at}`
  const names = field.split(',').map(dayName)
  if (names.some((name) => name === undefined)) return undefined
  return `Every ${names.join(', ')} at ${at}`
}

function dayName(text: string): string | undefined {
  const short = SHORT.indexOf(text.toLowerCase())
  return short >= 0 ? DAYS[short] : /^[0-7]$/.test(text) ? DAYS[Number(text)] : undefined
}
