import { appendFileSync, mkdirSync } from 'node:fs'
import { arch, cpus, platform, release, totalmem } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { digits, table } from './format.mjs'

const folder = fileURLToPath(new URL('../results/', import.meta.url))
/** More than this much of the machine used by others, on average, and a figure says so. */
const DISTURBED_CORES = 0.2

/**
 * Gathers figures, each with what it is compared with, and writes all that was measured as JSON lines as it comes: a run
 * that is broken off keeps what it had. Kinds of lines: run, round (one measurement), load, figure, failure.
 */
export function openReport(startedAt, settings) {
  mkdirSync(folder, { recursive: true })
  const file = path.join(folder, `${startedAt.toISOString().replace(/[:.]/g, '-')}.jsonl`)
  const figures = []
  const failures = []
  const foreign = []
  const loads = []
  const write = (line) => appendFileSync(file, `${JSON.stringify(line)}\n`)
  const machine = {
    node: process.version,
    platform: platform(),
    release: release(),
    arch: arch(),
    cores: cpus().length,
  }
  write({ kind: 'run', startedAt, settings, ...machine, model: cpus()[0]?.model, memoryBytes: totalmem() })

  return {
    file,
    /** One measurement of one competitor. */
    round(part, name, measured) {
      if (measured.foreignCores !== undefined) foreign.push(measured.foreignCores)
      write({ kind: 'round', part, name, ...measured })
    },
    /**
     * `value` in `unit`; `against` names what it is compared with and `ratio` is ours over theirs. `target` is
     * `{ of: 'ratio' | 'value', least | most }`. `note` says what the other columns cannot.
     */
    figure(part, figure) {
      const line = { part, ...figure, met: isMet(figure) }
      figures.push(line)
      write({ kind: 'figure', ...line })
    },
    /** Who did how much with how much of the processor: medians of the rounds of one competitor. */
    load(part, name, measured) {
      loads.push({ part, name, ...measured })
      write({ kind: 'load', part, name, ...measured })
    },
    failure(part, what, error) {
      const [reason] = String(error.message ?? error).split('\n')
      failures.push(`${part}: ${what}: ${reason}`)
      write({ kind: 'failure', part, what, error: String(error.stack ?? error) })
    },
    summary() {
      const rows = figures.map((each) => [
        each.part,
        each.what,
        `${digits(each.value)} ${each.unit}`,
        each.ratio === undefined ? '' : `${digits(each.ratio)}×`,
        each.against ?? '',
        targetText(each.target),
        each.met === undefined ? '' : each.met ? 'met' : 'MISSED',
        each.note ?? '',
      ])
      const header = ['part', 'figure', 'measured', 'ratio', 'compared with', 'target', '', 'note']
      const used = foreign.length === 0 ? 0 : foreign.reduce((sum, cores) => sum + cores, 0) / foreign.length
      const lines = ['', table(header, rows, 'llrrllll'), '']
      if (loads.length > 0) lines.push(loadTable(loads), '')
      if (used > DISTURBED_CORES) lines.push(`DISTURBED: other processes used ${digits(used)} cores on average.`)
      for (const failure of failures) lines.push(`NOT MEASURED  ${failure}`)
      lines.push(`Everything that was measured: ${path.relative(process.cwd(), file)}`)
      return lines.join('\n')
    },
    get ok() {
      return failures.length === 0 && figures.every((each) => each.met !== false)
    },
  }
}

function loadTable(loads) {
  const header = [
    'part',
    'under load',
    'per second',
    'engine',
    'PostgreSQL',
    'Redis',
    'others',
    'CPU ms each',
    'transactions each',
    'WAL bytes each',
  ]
  const columns = ['engineCores', 'postgresCores', 'redisCores', 'foreignCores', 'cpuMsEach', 'writesEach', 'walEach']
  const rows = loads.map((load) => [
    load.part,
    load.name,
    digits(load.perSecond),
    ...columns.map((name) => digits(load[name])),
  ])
  return `Processor shares in cores, medians of rounds:\n${table(header, rows, 'llrrrrrrrr')}`
}

function isMet({ target, ...figure }) {
  if (target === undefined) return undefined
  const value = figure[target.of]
  if (value === undefined) return undefined
  return value >= (target.least ?? Number.NEGATIVE_INFINITY) && value <= (target.most ?? Number.POSITIVE_INFINITY)
}

function targetText(target) {
  if (target === undefined) return ''
  const sign = target.of === 'ratio' ? '×' : ''
  const text = (value) => `${value.toLocaleString('en-US')}${sign}`
  if (target.least === target.most) return `= ${text(target.least)}`
  return target.least === undefined ? `≤ ${text(target.most)}` : `≥ ${text(target.least)}`
}
