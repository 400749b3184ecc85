import { Command } from 'commander'
import type { ClusterDevFlags } from '../cluster-dev/run-cluster-dev.ts'
import type { Terminal } from './terminal/terminal.ts'

/** `cluster dev`: a cluster on one machine, to look at and to break. */
export function clusterDevCommand(terminal: Terminal): Command {
  return new Command('dev')
    .description('run several nodes and a front before them on this machine, on one PostgreSQL')
    .option('-n, --nodes <count>', 'how many nodes, 1 to 9 (3)')
    .option('-p, --port <number>', 'port of the front; the nodes take those behind it, 0 picks free ones (4400)')
    .option('--host <address>', 'address that all of them listen on (127.0.0.1)')
    .option('--database-url <url>', 'PostgreSQL; absent: one that is installed here is started [LOCKSTEP_DATABASE_URL]')
    .option('--data-dir <folder>', 'folder of the PostgreSQL that is started (.lockstep) [LOCKSTEP_DATA_DIR]')
    .allowExcessArguments(false)
    .action(async (flags: ClusterDevFlags) => {
      const { runClusterDev } = await import('../cluster-dev/run-cluster-dev.ts')
      await runClusterDev(flags, terminal)
    })
}
