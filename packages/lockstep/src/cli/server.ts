import { Command } from 'commander'
import { environmentNames, type RawOptions } from '../options/raw-options.ts'
import type { ServerFlags } from './server-flags.ts'

/** `lockstep dev`: the same, with sample workflows in a store that is empty, and activity modules that follow their files. */
export function devCommand(): Command {
  return nodeCommand(
    'dev',
    'run a node to try things out: sample workflows move in an empty embedded store, activities are loaded anew when their files change',
    { samples: true, watch: true, serverTiming: true },
  )
}

export function serverCommand(): Command {
  return nodeCommand('server', 'run a node: HTTP, workers and timers in one process', {})
}

function nodeCommand(name: string, description: string, defaults: RawOptions): Command {
  const from = (option: keyof RawOptions): string => `[${environmentNames[option]}]`
  return new Command(name)
    .description(description)
    .option('--host <address>', `address to listen on (127.0.0.1) ${from('host')}`)
    .option('-p, --port <number>', `port to listen on, 0 picks a free one (4400) ${from('port')}`)
    .option('--base-path <path>', `path under which everything is served (/) ${from('basePath')}`)
    .option('--auth <mode>', `none, keys or oidc (none on loopback, else keys) ${from('auth')}`)
    .option('--public-url <url>', `where people reach it ${from('publicUrl')}`)
    .option('--database-url <url>', `PostgreSQL; absent: the embedded store ${from('databaseUrl')}`)
    .option('--database-pool <count>', `connections to PostgreSQL that this node pools (11) ${from('databasePool')}`)
    .option('--cluster-name <name>', `which cluster this node is of (lockstep) ${from('clusterName')}`)
    .option('--data-dir <folder>', `folder of the embedded store (.lockstep) ${from('dataDir')}`)
    .option('--redis-url <url>', `Redis, for whatever is set to redis ${from('redisUrl')}`)
    .option(
      '--redis-prefix <prefix>',
      `before every key in Redis and exchange in RabbitMQ (lockstep) ${from('redisPrefix')}`,
    )
    .option('--locks <store>', `postgres, redis or memory (postgres with a database, else memory) ${from('locks')}`)
    .option('--bus <carrier>', `postgres, redis, rabbitmq or memory: what carries wake-ups ${from('bus')}`)
    .option('--cache <tier>', `memory or redis: second tier of the caches (memory) ${from('cache')}`)
    .option('--gate <on|off>', `hold racing resumes back by locks in Redis (off) ${from('gate')}`)
    .option('--lock-ttl-ms <ms>', `life of a lock without renewal (30000) ${from('lockTtlMs')}`)
    .option('--lock-wait-ms <ms>', `how long a caller waits for a lock (30000) ${from('lockWaitMs')}`)
    .option('--roles <list>', `what this node does (api,worker,scheduler) ${from('roles')}`)
    .option('--scheduler <mode>', `cluster, leader or off: how schedules are fired (cluster) ${from('scheduler')}`)
    .option('--retention <rules>', `how long ended instances stay (completed=30d,faulted=90d) ${from('retention')}`)
    .option('--node-name <name>', `name of this node in lists ${from('nodeName')}`)
    .option('--migrate <mode>', `auto, check or off (auto) ${from('migrate')}`)
    .option(
      '--log-level <level>',
      `debug, info, warn, error or silent; areas: info,locks=debug (info) ${from('logLevel')}`,
    )
    .option('--heartbeat-ms <ms>', `how often a node says that it lives (750) ${from('heartbeatMs')}`)
    .option('--node-ttl-ms <ms>', `silence after which a node is buried (4 heartbeats) ${from('nodeTtlMs')}`)
    .option('--concurrency <count>', `instances worked on at once (500) ${from('concurrency')}`)
    .option('--requests <count>', `requests worked on at once, others wait or are refused (1000) ${from('requests')}`)
    .option('--body-depth <levels>', `lists and objects inside one another in a body (64) ${from('bodyDepth')}`)
    .option('--body-members <count>', `members of all objects of a body together (50000) ${from('bodyMembers')}`)
    .option('--drain-ms <ms>', `how long a stopping node lets running steps finish (20000) ${from('drainMs')}`)
    .option('--samples [on|off]', `sample workflows in an empty embedded store (off) ${from('samples')}`)
    .option('--server-timing [on|off]', `say in answers how long they took (off) ${from('serverTiming')}`)
    .option('--watch [on|off]', `load activity modules anew when their files change (off) ${from('watch')}`)
    .option('--config <file>', 'configuration file (lockstep.config.ts, .js, .json or .yaml)')
    .allowExcessArguments(false)
    .action(async (flags: ServerFlags) => {
      // Only a node needs all of it: other commands start faster without.
      const { runServer } = await import('./run-server.ts')
      await runServer(flags, defaults, name === 'dev')
    })
}
