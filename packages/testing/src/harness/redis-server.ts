import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { askPort } from './ask-port.ts'
import { externalServer } from './external-server.ts'
import type { Guardian } from './guardian-client.ts'
import { startOwnServer } from './own-server.ts'
import { progressTo } from './progress.ts'
import { requireBinary, type StartOptions } from './require-binary.ts'
import { serverEnvironment } from './server-environment.ts'
import type { ServerHandle } from './server-handle.ts'
import { MAIN, type ServerProgram } from './server-program.ts'

export interface RedisOptions extends StartOptions {
  readonly password?: string
  /** Keep data over `kill9` and `restart`. Off, a restarted server is empty. @default false */
  readonly appendonly?: boolean
  /** Further arguments of redis-server, such as `--maxmemory 8mb` in two strings. */
  readonly args?: readonly string[]
}

const VARIABLE = 'LOCKSTEP_TEST_REDIS_URL'
const SERVER = 'Redis'

/** A private Redis that writes nothing to disk unless asked to. */
export async function startRedis(options: RedisOptions = {}): Promise<ServerHandle> {
  const { env = process.env, quiet = false } = options
  const progress = progressTo(quiet)
  const external = env[VARIABLE]
  if (external) return externalServer(SERVER, external, VARIABLE, 6379, progress)

  const wanted = { server: SERVER, binary: 'redis-server', packages: ['redis-server'], variable: VARIABLE }
  return startOwnServer(redisProgram(await requireBinary(wanted, options, progress), options), progress)
}

function redisProgram(binary: string, { password, appendonly = false, args = [] }: RedisOptions): ServerProgram {
  const credentials = password === undefined ? '' : `:${encodeURIComponent(password)}@`
  return {
    server: SERVER,
    stopSignal: 'SIGTERM',
    orphansMs: 0,
    startMs: 30_000,
    url: (port) => `redis://${credentials}127.0.0.1:${port}`,
    async prepare(guardian) {
      const lines = ['bind 127.0.0.1', `dir ${JSON.stringify(guardian.folder)}`, 'save ""']
      lines.push(`appendonly ${appendonly ? 'yes' : 'no'}`)
      if (password !== undefined) lines.push(`requirepass ${JSON.stringify(password)}`)
      writeFileSync(configFile(guardian), `${lines.join('\n')}\n`, { mode: 0o600 })
    },
    launch: (guardian, port) =>
      guardian.spawn({
        name: MAIN,
        file: binary,
        args: [configFile(guardian), '--port', String(port), ...args],
        env: serverEnvironment(guardian.folder),
      }),
    async answers(guardian, port) {
      const commands = [...(password === undefined ? [] : [['AUTH', password]]), ['INFO', 'server'], ['PING']]
      const answer = await askPort(port, commands.map(encode).join(''), (text) => text.includes('+PONG\r\n'))
      return answer?.includes(configFile(guardian)) ?? false
    },
  }
}

function configFile(guardian: Guardian): string {
  return join(guardian.folder, 'redis.conf')
}

function encode(command: readonly string[]): string {
  return `*${command.length}\r\n${command.map((part) => `$${Buffer.byteLength(part)}\r\n${part}\r\n`).join('')}`
}
