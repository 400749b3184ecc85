import path from 'node:path'
import type { Command } from 'commander'
import { checksOf, isStoreAway, storeAway } from './doctor-checks.ts'
import { EndedBadly, EXIT } from './exit-codes.ts'
import type { Body } from './remote/api-client.ts'
import { remoteCommand, type Session } from './remote/remote-command.ts'
import type { Terminal } from './terminal/terminal.ts'

interface DoctorFlags {
  readonly repair?: boolean
  readonly databaseUrl?: string
  readonly dataDir?: string
}

interface Sum {
  healthy: boolean
  readonly findings: Body[]
  readonly looked: Record<string, number>
}

type Look = (cursor: string | undefined) => Promise<Body>

export function doctorCommand(terminal: Terminal): Command {
  return remoteCommand<DoctorFlags>(
    terminal,
    'doctor',
    'check nodes, clocks, versions, locks and what must always hold in the store; exit with 1 when something is wrong',
    (c) =>
      c
        .option('--repair', 'mend what can be mended without a doubt')
        .option('--database-url <url>', 'look into this PostgreSQL itself, without a node')
        .option('--data-dir <folder>', 'look into this embedded store itself; no node may have it open'),
    async (session, _, flags) => {
      const { repair = false, databaseUrl, dataDir } = flags
      if (databaseUrl === undefined && dataDir === undefined)
        return examine(session, atNode(session, repair), repair, await checksOf(session))
      const { withStore } = await import('./direct-doctor.ts')
      const folder = dataDir === undefined ? undefined : path.resolve(terminal.folder, dataDir)
      await withStore({ databaseUrl, dataDir: folder, repair }, (look) => examine(session, look, repair))
    },
  )
}

const atNode =
  ({ api }: Session, repair: boolean): Look =>
  async (cursor) =>
    repair
      ? (await api.call('POST', '/doctor', { body: { cursor } })).body
      : (await api.call('GET', '/doctor', { query: { cursor } })).body

async function examine(session: Session, look: Look, repair: boolean, known: readonly Body[] = []): Promise<void> {
  const { terminal } = session
  const sum: Sum = { healthy: true, findings: [], looked: {} }
  const lost = isStoreAway(known) ? [] : await lookAtAll(session, look, sum).catch((error) => [storeAway(error)])
  const checks = [...known.filter(({ check }) => lost.length === 0 || check !== 'store'), ...lost]
  const isAway = isStoreAway(checks)
  sum.healthy &&= !isAway
  if (session.output === 'table') {
    if (!isAway || sum.findings.length > 0) tell(terminal, sum)
    tellChecks(terminal, checks)
  } else session.done('', { ...sum, checks })
  const broken = checks.filter(({ level }) => level === 'error')
  if (broken.length > 0)
    throw new EndedBadly({
      text: `not fit: ${broken.map(({ check }) => check).join(', ')}`,
      exitCode: EXIT.failed,
    })
  const left = sum.findings.filter((each) => each.repaired < each.count)
  if (left.length === 0) return
  const advice = repair ? 'they need a person' : 'run "lockstep doctor --repair" for those that are safe to repair'
  throw new EndedBadly({ text: `${left.length} kind(s) of findings: ${advice}`, exitCode: EXIT.failed })
}

/** Adds all of it to the sum. Nothing has failed when it is over. */
async function lookAtAll({ progress }: Session, look: Look, sum: Sum): Promise<readonly Body[]> {
  let cursor: string | undefined
  try {
    do {
      const report = await look(cursor)
      merge(sum, report)
      cursor = report.next ?? undefined
      progress.show(`Looked at ${Object.values(sum.looked).reduce((a, b) => a + b, 0)} rows …`)
    } while (cursor !== undefined)
    return []
  } finally {
    progress.clear()
  }
}

function merge(sum: Sum, report: Body): void {
  sum.healthy &&= report.healthy
  for (const [area, count] of Object.entries(report.looked as Record<string, number>))
    sum.looked[area] = (sum.looked[area] ?? 0) + count
  for (const finding of report.findings) {
    const known = sum.findings.find((each) => each.code === finding.code)
    if (known === undefined) sum.findings.push({ ...finding })
    else {
      known.count += finding.count
      known.repaired += finding.repaired
    }
  }
}

function tell(
  { out, colors }: Terminal,
  { findings, looked }: { findings: Body[]; looked: Record<string, number> },
): void {
  const areas = Object.entries(looked).map(([area, count]) => `${count} ${area}`)
  if (findings.length === 0) {
    out(`${colors.green('Healthy')}: looked at ${areas.join(', ')}\n`)
    return
  }
  out(`Looked at ${areas.join(', ')}\n`)
  for (const each of findings) {
    const state =
      each.repaired > 0
        ? colors.green(`${each.repaired} repaired`)
        : each.safeToRepair
          ? 'safe to repair'
          : colors.red('needs a person')
    out(`\n${colors.bold(each.code)}  ${each.count} (${state})\n  ${each.meaning}\n`)
    if (each.repair !== null) out(`  Repair ${each.repair}\n`)
    for (const example of each.examples.slice(0, 5)) out(`  - ${example.key} ${example.detail}\n`)
  }
}

function tellChecks({ out, colors }: Terminal, checks: readonly Body[]): void {
  const paint = { ok: colors.green, warning: colors.yellow, error: colors.red }
  const widest = Math.max(0, ...checks.map(({ check }) => check.length))
  for (const { check, level, finding, fix } of checks) {
    out(`${paint[level as keyof typeof paint](level.padEnd(8))} ${colors.bold(check.padEnd(widest))}  ${finding}\n`)
    if (fix !== null) out(`${' '.repeat(widest + 11)}${fix}\n`)
  }
}
