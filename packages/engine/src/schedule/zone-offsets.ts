import { Temporal } from 'temporal-polyfill'

/** A stretch of time in which a zone keeps its offset. */
export interface OffsetSpan {
  /** `-Infinity` when nothing came before. */
  readonly fromAt: number
  /** First instant that is no longer in it; `Infinity` when no change is known. */
  readonly toAt: number
  /** Wall clock minus UTC. */
  readonly offsetMs: number
  /** Offset before `fromAt`: greater leaves a fold there, smaller a gap. */
  readonly offsetBeforeMs: number
}

/** The offsets of one zone. Remembers what it looked up, so that arithmetic near a known instant needs no calendar library. */
export class ZoneOffsets {
  readonly id: string
  /** In order of time, never overlapping. */
  #spans: OffsetSpan[] = []

  constructor(id: string) {
    this.id = id
  }

  spanAt(at: number): OffsetSpan {
    const index = this.#indexFor(at)
    const known = this.#spans[index]
    if (known !== undefined && at < known.toAt) return known
    const span = lookUp(this.id, at)
    // Enough for five centuries of two changes a year; a caller that goes further pays again.
    if (this.#spans.length >= 1_000) this.#spans = [span]
    else this.#spans.splice(index + 1, 0, span)
    return span
  }

  /** Of the last span that begins at or before `at`; -1 without one. */
  #indexFor(at: number): number {
    let low = 0
    let high = this.#spans.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#spans[middle]!.fromAt <= at) low = middle + 1
      else high = middle
    }
    return low - 1
  }
}

const zones = new Map<string, ZoneOffsets>()

/** The one `ZoneOffsets` of a zone that exists: there are some hundred names, so all are kept. `undefined`: no IANA name. */
export function zoneOffsets(name: string): ZoneOffsets | undefined {
  const known = zones.get(name)
  if (known !== undefined) return known
  const id = zoneId(name)
  if (id === undefined) return undefined
  let zone = zones.get(id)
  if (zone === undefined) {
    zone = new ZoneOffsets(id)
    zones.set(id, zone)
  }
  return zone
}

/** In the spelling of the zone database. Offsets such as +05:30 are no zones: they know no law about summer time. */
function zoneId(name: string): string | undefined {
  if (!/^[A-Za-z]/.test(name) || name.length > 64) return undefined
  try {
    return Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name).timeZoneId
  } catch {
    return undefined
  }
}

function lookUp(zone: string, at: number): OffsetSpan {
  const zoned = (ms: number) => Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(zone)
  const here = zoned(at)
  // `previous` means strictly before, and a span begins with its change.
  const fromAt = zoned(at + 1).getTimeZoneTransition('previous')?.epochMilliseconds ?? -Infinity
  const toAt = here.getTimeZoneTransition('next')?.epochMilliseconds ?? Infinity
  const offsetMs = here.offsetNanoseconds / 1e6
  const offsetBeforeMs = fromAt === -Infinity ? offsetMs : zoned(fromAt - 1).offsetNanoseconds / 1e6
  return { fromAt, toAt, offsetMs, offsetBeforeMs }
}
