// Names that must not appear: host time and randomness in the core, dynamic code, vague folders, machine paths, registry hosts.
import { isProduct, packageOf, read, report, trackedFiles } from './sources.mjs'

/** The edge: files that may read the machine's clock, randomness, environment or timers, with the reason in the file itself. */
const edge = [
  /^packages\/base\/src\/(clock\/system-clock|random\/system-random)\.ts$/,
  /^packages\/lockstep\/src\/cli\//,
  /^packages\/studio\/src\/browser\//,
  /^packages\/testing\/src\/(harness|faults)\//,
  /^packages\/testing\/src\/simulation\/drain\.ts$/,
]
const hostNames = [
  [/\bDate\.now\b|\bnew Date\(\s*\)/, 'take a Clock'],
  [/\bMath\.random\b|\bcrypto\.randomUUID\b/, 'take a Random'],
  [/\bprocess\.env\b/, 'read the environment in the command line only'],
  [/(?<![.\w])(setTimeout|setInterval|setImmediate)\(/, 'use Clock.schedule'],
  [/\bperformance\.now\b/, 'use Clock.monotonic'],
]
const dynamicCode = [
  [/(?<![.\w])eval\(/, 'no eval'],
  [/\bnew Function\(|(?<![.\w'"`?)]|function )Function\(/, 'no Function'],
  [/['"](node:)?vm['"]/, 'no node:vm'],
]
const vagueFolder = /(^|\/)(utils?|common|helpers?|misc|types|interfaces|shared|lib)\//
const bareClockInSql = /due_at\s*<=?\s*clock_timestamp\(\)/i
/** Spelled in pieces, so that this file does not contain what it looks for. */
const foreign = [
  [new RegExp(['registry', 'npmjs'].join('\\.')), 'a registry host'],
  [new RegExp(`(^|[^\\w.])/(${['work', 'root', 'home'].join('|')})/[a-z]`), 'a path of one machine'],
]

const problems = []
for (const file of trackedFiles()) {
  if (/\.(png|gz|tar|wasm|ico|woff2?)$/.test(file) || file === 'package-lock.json') continue
  const lines = read(file).split('\n')
  const product = isProduct(file)
  if (packageOf(file) && vagueFolder.test(file.replace(/^packages\/[^/]+\//, '')))
    problems.push(`${file}: name the folder after its concept`)
  lines.forEach((line, index) => {
    const at = `${file}:${index + 1}`
    const code = line.replace(/^\s*(\*|\/\/|\/\*).*/, '')
    const look = (rules) => {
      for (const [pattern, fix] of rules) if (pattern.test(code)) problems.push(`${at}: ${fix}`)
    }
    if (product && !edge.some((each) => each.test(file))) look(hostNames)
    if (product) look(dynamicCode)
    if (product || file.endsWith('.sql')) {
      if (bareClockInSql.test(line))
        problems.push(`${at}: write due_at <= (select clock_timestamp()), else the index is not used`)
    }
    for (const [pattern, what] of foreign) if (pattern.test(line)) problems.push(`${at}: ${what}`)
  })
}
report('names', problems)
