export interface Family {
  readonly type: string
  readonly help: string
  readonly samples: {
    readonly name: string
    readonly labels: Readonly<Record<string, string>>
    readonly value: number
  }[]
}

const NAME = '[a-zA-Z_:][a-zA-Z0-9_:]*'
const LABEL = '[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\\\\n]|\\\\["\\\\n])*"'
const SAMPLE = new RegExp(`^(${NAME})(?:\\{(${LABEL}(?:,${LABEL})*)?\\})? (NaN|[+-]Inf|-?[0-9.]+(?:e[+-]?[0-9]+)?)$`)
const SUFFIXES: Readonly<Record<string, readonly string[]>> = {
  counter: [''],
  gauge: [''],
  histogram: ['_bucket', '_sum', '_count'],
  summary: ['', '_sum', '_count'],
}

/** Reads the text form of Prometheus (0.0.4) and throws at whatever it does not allow. */
export function parseMetrics(text: string): Map<string, Family> {
  if (!text.endsWith('\n')) throw new Error('the last line has no end')
  const families = new Map<string, Family>()
  const seen = new Set<string>()
  let help: readonly [string, string] | undefined
  let current: { name: string; family: Family } | undefined
  for (const line of text.split('\n')) {
    if (line === '') continue
    const helped = /^# HELP (\S+) (.+)$/.exec(line)
    const typed = /^# TYPE (\S+) (counter|gauge|histogram|summary)$/.exec(line)
    if (helped !== null) help = [helped[1]!, helped[2]!]
    else if (typed !== null) {
      const name = typed[1]!
      if (help?.[0] !== name) throw new Error(`${name} has no help right before its type`)
      if (families.has(name)) throw new Error(`${name} is there twice`)
      current = { name, family: { type: typed[2]!, help: help[1], samples: [] } }
      families.set(name, current.family)
    } else {
      const found = SAMPLE.exec(line)
      if (found === null) throw new Error(`not a sample: ${line}`)
      const [, name = '', labels = '', value = ''] = found
      if (current === undefined || !SUFFIXES[current.family.type]!.some((each) => current!.name + each === name))
        throw new Error(`${name} stands under ${current?.name}`)
      if (seen.has(`${name}{${labels}`)) throw new Error(`${line} is there twice`)
      seen.add(`${name}{${labels}`)
      current.family.samples.push({ name, labels: labelsOf(labels), value: Number(value.replace('Inf', 'Infinity')) })
    }
  }
  for (const [name, { type, samples }] of families) if (type === 'histogram') checkHistogram(name, samples)
  return families
}

function labelsOf(text: string): Record<string, string> {
  const pairs = [...text.matchAll(/([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)"/g)]
  return Object.fromEntries(pairs.map(([, name, value]) => [name, value]))
}

/** Buckets rise, and the last of them is the count. */
function checkHistogram(name: string, samples: Family['samples']): void {
  const series = new Map<string, Family['samples']>()
  for (const sample of samples) {
    const { le: _, ...rest } = sample.labels
    const key = JSON.stringify(rest)
    series.set(key, [...(series.get(key) ?? []), sample])
  }
  for (const each of series.values()) {
    const buckets = each.filter((sample) => sample.name === `${name}_bucket`)
    const count = each.find((sample) => sample.name === `${name}_count`)?.value
    const rises = buckets.every((bucket, at) => at === 0 || bucket.value >= buckets[at - 1]!.value)
    if (!rises || buckets.at(-1)?.labels.le !== '+Inf' || buckets.at(-1)?.value !== count)
      throw new Error(`the buckets of ${name} do not add up`)
  }
}
