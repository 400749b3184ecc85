/** What a run measures and how long it takes. Times are milliseconds unless the name says otherwise. */
const quick = {
  /** How often each competitor is measured; the middle one counts. */
  rounds: 3,
  /** Of each round under load: pipes fill, then completions count. */
  rampMs: 300,
  windowMs: 1_500,
  /** Before the first round, uncounted. */
  warmMs: 1_000,
  /** One at a time: workflows per round, and rounds. */
  singles: 150,
  singleRounds: 5,
  signals: 40,
  timers: 10_000,
  timersSeconds: 10,
  /** All due in one second. */
  schedules: 10_000,
  /** Rows of each kind in the full database. */
  suspended: 1_000_000,
  steps: 5_000,
  loop: 10_000,
  /** Turns of one loop side by side. */
  wide: 10_000,
  idleSeconds: 10,
  bulk: 20_000,
  /** Of the fair claim. */
  tenants: 1_000,
  dueStarts: 100_000,
  /** Instances that one event wakes. */
  broadcast: 5_000,
  /** Journal rows that a sweep deletes, under so many starts, in windows of so long with and without it. */
  expiredRows: 1_000_000,
  startsPerSecond: 200,
  sweepWindowMs: 4_000,
  /** Reads of one hot instance, per round. */
  reads: 1_000,
  /** Of each round of load over HTTP, and waiting instances of the start-up. */
  restSeconds: 3,
  waitingInstances: 100_000,
  /** Fresh processes per way of opening the embedded store. */
  opens: 3,
  /** Of each contended round. */
  contendSeconds: 4,
  leases: 10_000,
  /** Longer than a renewal of leases of 30 s takes to come round. */
  renewSeconds: 22,
  /** Of the endurance run, with --long. */
  minutes: 10,
}

/** Enough to see that everything works; the figures mean nothing. */
const tiny = {
  rounds: 1,
  rampMs: 200,
  windowMs: 500,
  warmMs: 200,
  singles: 10,
  singleRounds: 2,
  signals: 5,
  timers: 200,
  timersSeconds: 2,
  schedules: 200,
  suspended: 10_000,
  steps: 300,
  loop: 1_000,
  wide: 1_000,
  idleSeconds: 3,
  bulk: 1_000,
  tenants: 50,
  dueStarts: 2_000,
  broadcast: 200,
  expiredRows: 2_000,
  startsPerSecond: 50,
  sweepWindowMs: 500,
  reads: 200,
  restSeconds: 1,
  waitingInstances: 2_000,
  opens: 1,
  contendSeconds: 1,
  leases: 500,
  renewSeconds: 2,
  minutes: 0.1,
}

const flags = ['long', 'tiny', 'no-peers', 'strict', 'help']

/** `npm run bench -- three-step --rounds=5`: parts are bare words, everything else begins with dashes. */
export function readArguments(argv, knownParts) {
  const parts = []
  const given = {}
  const switches = Object.fromEntries(flags.map((name) => [camel(name), false]))
  for (const word of argv) {
    const [, name, value] = /^--([a-z-]+)(?:=(.+))?$/.exec(word) ?? []
    if (name === undefined) parts.push(known(word, knownParts, 'part'))
    else if (value === undefined) switches[camel(known(name, flags, 'switch'))] = true
    else given[known(camel(name), Object.keys(quick), 'setting')] = numberOf(name, value)
  }
  return { parts, switches, settings: { ...quick, ...(switches.tiny ? tiny : {}), ...given } }
}

function known(word, words, what) {
  if (words.includes(word)) return word
  throw new Error(`unknown ${what} "${word}": use one of ${words.join(', ')}`)
}

function numberOf(name, value) {
  const number = Number(value)
  if (!(number > 0)) throw new Error(`--${name} must be a number above 0, not "${value}"`)
  return number
}

const camel = (name) => name.replace(/-(.)/g, (_, letter) => letter.toUpperCase())
