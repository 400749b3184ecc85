/** Everything a node counted at one moment, at the places that a `SeriesTable` gave out. */
export interface Sampled {
  /** Milliseconds since 1970. */
  readonly at: number
  readonly values: Float64Array
}

export type Labels = Readonly<Record<string, string>>

interface Series {
  readonly name: string
  readonly labels: Labels
}

export interface Histogram {
  readonly bounds: readonly number[]
  /** For each bound, where what lies at or below it is counted. */
  readonly upTo: readonly (readonly number[])[]
  readonly all: readonly number[]
}

/** What a reading has at these places. */
export function sumAt({ values }: Sampled, places: readonly number[]): number {
  let sum = 0
  for (const place of places) sum += values[place] ?? 0
  return sum
}

const byValue = (a: number, b: number): number => a - b

/** Gives every series a place, for as long as the process lives, so that a reading is an array of numbers and nothing more. */
export class SeriesTable {
  readonly #most: number
  readonly #series: Series[] = []
  readonly #places = new Map<string, number>()
  readonly #found = new Map<string, readonly number[]>()
  readonly #histograms = new Map<string, Histogram>()

  constructor(most: number) {
    this.#most = most
  }

  get size(): number {
    return this.#series.length
  }

  /** `undefined`: there are too many. */
  place(name: string, labels: Labels): number | undefined {
    const key = `${name} ${JSON.stringify(labels)}`
    const known = this.#places.get(key)
    if (known !== undefined || this.size >= this.#most) return known
    this.#found.clear()
    this.#histograms.clear()
    this.#places.set(key, this.#series.push({ name, labels }) - 1)
    return this.size - 1
  }

  has(name: string): boolean {
    return this.#matching(name, {}).length > 0
  }

  /** Sum of all series of a name that have these labels. A reading from before a series was there has nothing of it. */
  sum(sample: Sampled, name: string, labels: Labels = {}): number {
    return sumAt(sample, this.#matching(name, labels))
  }

  /** The places of a histogram, bound by bound: it is asked for with every step of a curve. */
  histogram(name: string, labels: Labels): Histogram {
    const key = `${name} ${JSON.stringify(labels)}`
    let found = this.#histograms.get(key)
    if (found === undefined) {
      const bounds = this.values(name, 'le').map(Number).filter(Number.isFinite).sort(byValue)
      const upTo = (le: string): readonly number[] => this.#matching(name, { ...labels, le })
      found = { bounds, upTo: bounds.map((bound) => upTo(String(bound))), all: upTo('+Inf') }
      this.#histograms.set(key, found)
    }
    return found
  }

  /** Values of a label among the series of a name. */
  values(name: string, label: string): readonly string[] {
    const found = new Set(this.#matching(name, {}).flatMap((place) => this.#series[place]!.labels[label] ?? []))
    return [...found].sort()
  }

  #matching(name: string, labels: Labels): readonly number[] {
    const key = `${name} ${JSON.stringify(labels)}`
    const known = this.#found.get(key)
    if (known !== undefined) return known
    const wanted = Object.entries(labels)
    const places = this.#series.flatMap((series, place) =>
      series.name === name && wanted.every(([label, value]) => series.labels[label] === value) ? place : [],
    )
    this.#found.set(key, places)
    return places
  }
}
