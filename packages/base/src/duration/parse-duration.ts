import { InvalidDuration } from '../error/errors.ts'
import { UNIT_MS } from './duration-units.ts'

const SHORT = /^(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)$/
const ISO =
  /^P(?:(\d+(?:\.\d+)?)W)?(?:(\d+(?:\.\d+)?)D)?(?:T(?:(\d+(?:\.\d+)?)H)?(?:(\d+(?:\.\d+)?)M)?(?:(\d+(?:\.\d+)?)S)?)?$/
const ISO_UNITS_MS = [7 * UNIT_MS.d, UNIT_MS.d, UNIT_MS.h, UNIT_MS.m, UNIT_MS.s] as const
/** A thousand years: past it, dates of the store would overflow. */
const LONGEST_MS = 1_000 * 365 * UNIT_MS.d

/** Milliseconds of `500ms`, `30s`, `5m`, `2h`, `7d`, ISO 8601 (`PT15M`, `P1DT2H`) or a plain number of milliseconds. */
export function parseDuration(value: string | number): number {
  const text = String(value).trim()
  const ms = typeof value === 'number' ? value : (parseShort(text) ?? parseIso(text))
  if (ms === undefined || !Number.isFinite(ms))
    throw new InvalidDuration({ value: text.slice(0, 80), reason: reasonFor(text) })
  if (ms < 0) throw new InvalidDuration({ value: text, reason: 'it is negative' })
  if (ms > LONGEST_MS) throw new InvalidDuration({ value: text, reason: 'it is longer than a thousand years' })
  return Math.round(ms)
}

function parseShort(text: string): number | undefined {
  const match = SHORT.exec(text)
  return match ? Number(match[1]) * UNIT_MS[match[2] as keyof typeof UNIT_MS] : undefined
}

function parseIso(text: string): number | undefined {
  const match = ISO.exec(text)
  if (!match || text === 'P' || text.endsWith('T')) return undefined
  return ISO_UNITS_MS.reduce((sum, unitMs, index) => sum + Number(match[index + 1] ?? 0) * unitMs, 0)
}

function reasonFor(text: string): string {
  if (/^P.*\d[YM]/.test(text.split('T')[0] ?? '')) return 'years and months have no fixed length, use days'
  return 'its form is not known'
}
