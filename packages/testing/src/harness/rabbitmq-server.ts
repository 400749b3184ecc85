import { randomBytes } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { accepts, askPort } from './ask-port.ts'
import { ServerFailed } from './errors.ts'
import { externalServer } from './external-server.ts'
import { freePort } from './free-port.ts'
import type { Guardian } from './guardian-client.ts'
import { startOwnServer } from './own-server.ts'
import { progressTo } from './progress.ts'
import { requireBinary, type StartOptions } from './require-binary.ts'
import { serverEnvironment } from './server-environment.ts'
import type { ServerHandle } from './server-handle.ts'
import { MAIN, type ServerProgram } from './server-program.ts'

export interface RabbitmqOptions extends StartOptions {
  /** Names of plugins to enable, such as `rabbitmq_management`. @default none */
  readonly plugins?: readonly string[]
  /** Further lines of rabbitmq.conf. */
  readonly settings?: Readonly<Record<string, string>>
}

const VARIABLE = 'LOCKSTEP_TEST_RABBITMQ_URL'
const SERVER = 'RabbitMQ'
const EPMD = 'epmd'
const EPMD_READY_MS = 10_000

/** A private RabbitMQ with a user and password of its own, in the default virtual host. */
export async function startRabbitmq(options: RabbitmqOptions = {}): Promise<ServerHandle> {
  const { env = process.env, quiet = false } = options
  const progress = progressTo(quiet)
  const external = env[VARIABLE]
  if (external) return externalServer(SERVER, external, VARIABLE, 5672, progress)

  const wanted = { server: SERVER, packages: ['rabbitmq-server'], variable: VARIABLE }
  const binary = await requireBinary({ ...wanted, binary: 'rabbitmq-server' }, options, progress)
  const epmd = await requireBinary({ ...wanted, binary: EPMD }, options, progress)
  return startOwnServer(rabbitmqProgram(binary, epmd, options), progress)
}

function rabbitmqProgram(binary: string, epmd: string, options: RabbitmqOptions): ServerProgram {
  const name = `lockstep-${randomBytes(6).toString('hex')}`
  const user = randomBytes(8).toString('hex')
  const password = randomBytes(16).toString('hex')
  return {
    server: SERVER,
    stopSignal: 'SIGTERM',
    orphansMs: 0,
    startMs: 120_000,
    url: (port) => `amqp://${user}:${password}@127.0.0.1:${port}`,
    async prepare(guardian) {
      const settings = { default_user: user, default_pass: password, cluster_name: name, ...options.settings }
      writeFolder(guardian.folder, settings, options.plugins ?? [])
    },
    async launch(guardian, port) {
      const epmdPort = await startEpmd(guardian, epmd)
      return guardian.spawn({
        name: MAIN,
        file: binary,
        args: [],
        env: environment(guardian.folder, `${name}@localhost`, port, epmdPort, await freePort()),
      })
    },
    async answers(_guardian, port) {
      // Connection.Start: a method frame on channel 0 that ends with 0xCE. Its server properties hold the cluster name.
      const answer = await askPort(port, 'AMQP\0\0\x09\x01', (frame) => frame[0] === 1 && frame.at(-1) === 0xce)
      return answer?.includes(name) ?? false
    },
  }
}

/** Erlang would start a shared one that outlives everything; ours is the guardian's child on a port of its own. */
async function startEpmd(guardian: Guardian, file: string): Promise<number> {
  const port = await freePort()
  const args = ['-port', String(port), '-address', '127.0.0.1']
  const { exited } = await guardian.spawn({ name: EPMD, file, args, env: serverEnvironment(guardian.folder) })
  let running = true
  void exited.then(() => {
    running = false
  })
  const deadline = performance.now() + EPMD_READY_MS
  while (!(await accepts(port))) {
    if (!running || performance.now() > deadline) {
      throw new ServerFailed({ server: SERVER, doing: 'starting epmd', log: guardian.logOf(EPMD) })
    }
    await delay(10)
  }
  return port
}

function writeFolder(folder: string, settings: Readonly<Record<string, string>>, plugins: readonly string[]): void {
  for (const name of ['home', 'conf.d', 'mnesia', 'log']) mkdirSync(join(folder, name))
  const lines = Object.entries({ 'log.console': 'true', 'log.file': 'false', ...settings })
  writeFileSync(join(folder, 'rabbitmq.conf'), lines.map(([key, value]) => `${key} = ${value}\n`).join(''), {
    mode: 0o600,
  })
  writeFileSync(join(folder, 'enabled_plugins'), `[${plugins.join(',')}].\n`)
  writeFileSync(join(folder, 'rabbitmq-env.conf'), '')
  writeFileSync(join(folder, 'home', '.erlang.cookie'), randomBytes(20).toString('hex'), { mode: 0o400 })
}

function environment(
  folder: string,
  node: string,
  port: number,
  epmdPort: number,
  distPort: number,
): Record<string, string> {
  return {
    ...serverEnvironment(join(folder, 'home')),
    RABBITMQ_NODENAME: node,
    RABBITMQ_NODE_IP_ADDRESS: '127.0.0.1',
    RABBITMQ_NODE_PORT: String(port),
    RABBITMQ_DIST_PORT: String(distPort),
    RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: '-kernel inet_dist_use_interface {127,0,0,1}',
    RABBITMQ_CONF_ENV_FILE: join(folder, 'rabbitmq-env.conf'),
    RABBITMQ_CONFIG_FILE: join(folder, 'rabbitmq.conf'),
    RABBITMQ_CONFIG_FILES: join(folder, 'conf.d'),
    RABBITMQ_ADVANCED_CONFIG_FILE: join(folder, 'advanced.config'),
    RABBITMQ_ENABLED_PLUGINS_FILE: join(folder, 'enabled_plugins'),
    RABBITMQ_MNESIA_BASE: join(folder, 'mnesia'),
    RABBITMQ_LOG_BASE: join(folder, 'log'),
    RABBITMQ_GENERATED_CONFIG_DIR: join(folder, 'generated'),
    ERL_EPMD_PORT: String(epmdPort),
    ERL_EPMD_ADDRESS: '127.0.0.1',
    ERL_CRASH_DUMP: join(folder, 'erl_crash.dump'),
    // Makes the start script become the server instead of waiting beside it, so that the pid is the server's.
    RUNNING_UNDER_SYSTEMD: 'true',
  }
}
