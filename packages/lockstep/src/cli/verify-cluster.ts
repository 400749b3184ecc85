import { systemClock } from '@lockstep/base'
import type { Command } from 'commander'
import type { Report } from '../verify/checklist.ts'
import { EndedBadly, EXIT, UsageError } from './exit-codes.ts'
import { apiClient } from './remote/api-client.ts'
import { connectionOf, DEFAULT_URL } from './remote/connection.ts'
import { type RemoteFlags, remoteCommand, type Session } from './remote/remote-command.ts'
import { gather } from './terminal/pairs.ts'
import type { Terminal } from './terminal/terminal.ts'

interface VerifyFlags extends Omit<RemoteFlags, 'url'> {
  readonly url?: readonly string[]
  readonly rounds?: string
  readonly timers?: string
  readonly lockLimitMs?: string
  readonly parts?: string
  readonly killCommand?: string
  readonly restartCommand?: string
}

export function verifyClusterCommand(terminal: Terminal): Command {
  return remoteCommand<VerifyFlags>(
    terminal,
    'verify-cluster',
    'run the six-part checklist against a cluster; exit with 1 when a part fails',
    (c) =>
      c
        .option(
          '--url <url>',
          `a node, or a balancer; again for each further node (${DEFAULT_URL}) [LOCKSTEP_URL]`,
          gather,
        )
        .option('--rounds <count>', 'rounds of parts 1, 3 and 6 (10)')
        .option('--timers <count>', 'timers of part 2 (100)')
        .option('--lock-limit-ms <ms>', 'longest p99 of part 6; 100 is right for Redis (500)')
        .option('--parts <numbers>', 'only these, such as 1,3 (1,2,3,4,5,6)')
        .option(
          '--kill-command <line>',
          'shell line that kills the node {name} with the id {id}; without it part 4 is not run',
        )
        .option('--restart-command <line>', 'shell line that restarts all nodes in turn; without it part 5 is not run'),
    (session, _, flags) => verify(session, flags),
  )
}

async function verify(session: Session, { url: urls = [], ...flags }: VerifyFlags): Promise<void> {
  const { terminal, progress } = session
  const { environment, interrupted: signal } = terminal
  const others = urls.slice(1).map((url) => connectionOf({ ...flags, url }, environment))
  const parts = flags.parts?.split(',').map((each) => numberOf('--parts', each.trim(), 6))
  const wanted = {
    rounds: numberOf('--rounds', flags.rounds ?? '10', 100_000),
    timers: numberOf('--timers', flags.timers ?? '100', 1_000_000),
    lockLimitMs: numberOf('--lock-limit-ms', flags.lockLimitMs ?? '500', 600_000),
  }
  const { runChecklist } = await import('../verify/checklist.ts')
  const { clusterOf } = await import('../verify/cluster-of.ts')
  const further = others.map(({ url, apiKey }) => apiClient({ url: url.value, apiKey: apiKey?.value, signal }))
  const nodes = [session.api, ...further]
  const cluster = await clusterOf(nodes)
  const report = await runChecklist({
    ...wanted,
    nodes,
    killCommand: flags.killCommand,
    restartCommand: flags.restartCommand,
    ...(parts === undefined ? {} : { parts }),
    environment,
    clock: systemClock,
    progress: progress.show,
  }).finally(progress.clear)
  if (session.output === 'table') tell(terminal, cluster, report)
  else session.done('', { ...cluster, ...report })
  if (!report.passed) {
    const failed = report.parts.filter(({ verdict }) => verdict === 'fail').map(({ number }) => number)
    throw new EndedBadly({ text: `failed: part ${failed.join(', ')}`, exitCode: EXIT.failed })
  }
}

function tell(
  { out, err, colors, errColors }: Terminal,
  { warnings }: { warnings: readonly string[] },
  report: Report,
): void {
  for (const warning of warnings) err(`${errColors.yellow(warning)}\n`)
  const paint = { pass: colors.green, fail: colors.red, 'not run': colors.yellow }
  for (const { number, title, verdict, figures, reasons } of report.parts) {
    out(`${number}  ${paint[verdict](verdict.padEnd(7))}  ${colors.bold(title)}\n`)
    const said = Object.entries(figures).map(([name, value]) => `${name} ${value}`)
    if (said.length > 0) out(`            ${said.join(', ')}\n`)
    for (const reason of reasons) out(`            ${reason}\n`)
  }
  for (const each of report.left) err(`${errColors.yellow(`not cleaned up: ${each}`)}\n`)
}

function numberOf(flag: string, given: string, most: number): number {
  if (!/^[1-9]\d*$/.test(given) || Number(given) > most)
    throw new UsageError({ text: `${flag} must be a whole number from 1 to ${most}, not "${given}"` })
  return Number(given)
}
