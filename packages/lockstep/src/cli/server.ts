import { Command } from 'commander'
import { environmentNames, type RawOptions } from '../options/raw-options.ts'
import type { ServerFlags } from './server-flags.ts'

export function serverCommand(): Command {
  const from = (option: keyof RawOptions): string => `[${environmentNames[option]}]`
  return new Command('server')
    .description('run a node: HTTP, workers and timers in one process')
    .option('--host <address>', `address to listen on (127.0.0.1) ${from('host')}`)
    .option('-p, --port <number>', `port to listen on, 0 picks a free one (4400) ${from('port')}`)
    .option('--base-path <path>', `path under which everything is served (/) ${from('basePath')}`)
    .option('--database-url <url>', `PostgreSQL; absent: the embedded store ${from('databaseUrl')}`)
    .option('--data-dir <folder>', `folder of the embedded store (.lockstep) ${from('dataDir')}`)
    .option('--redis-url <url>', `Redis, for whatever is set to redis ${from('redisUrl')}`)
    .option('--redis-prefix <prefix>', `before every key in Redis (lockstep) ${from('redisPrefix')}`)
    .option('--locks <store>', `postgres, redis or memory (postgres with a database, else memory) ${from('locks')}`)
    .option('--lock-ttl-ms <ms>', `life of a lock without renewal (30000) ${from('lockTtlMs')}`)
    .option('--lock-wait-ms <ms>', `how long a caller waits for a lock (30000) ${from('lockWaitMs')}`)
    .option('--scheduler <mode>', `cluster or off: whether this node fires schedules (cluster) ${from('scheduler')}`)
    .option('--retention <rules>', `how long ended instances stay (completed=30d,faulted=90d) ${from('retention')}`)
    .option('--node-name <name>', `name of this node in lists ${from('nodeName')}`)
    .option('--migrate <mode>', `auto, check or off (auto) ${from('migrate')}`)
    .option('--log-level <level>', `debug, info, warn, error or silent (info) ${from('logLevel')}`)
    .option('--heartbeat-ms <ms>', `how often a node says that it lives (750) ${from('heartbeatMs')}`)
    .option('--node-ttl-ms <ms>', `silence after which a node is buried (4 heartbeats) ${from('nodeTtlMs')}`)
    .option('--concurrency <count>', `instances worked on at once (500) ${from('concurrency')}`)
    .option('--drain-ms <ms>', `how long a stopping node lets running steps finish (20000) ${from('drainMs')}`)
    .option('--config <file>', 'configuration file (lockstep.config.ts, .js, .json or .yaml)')
    .allowExcessArguments(false)
    .action(async (flags: ServerFlags) => {
      // Only a node needs all of it: other commands start faster without.
      const { runServer } = await import('./run-server.ts')
      await runServer(flags)
    })
}
