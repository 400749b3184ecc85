import { fork, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const START_MS = 60_000

/** Restate's own server on loopback, with the process that runs the code: both end with this one. */
export async function startRestate() {
  const folder = mkdtempSync(path.join(tmpdir(), 'lockstep-bench-restate-'))
  const [ingress, admin, node, service] = await freePorts(4)
  const server = spawn(serverBinary(), arguments_(folder, node), {
    env: {
      ...process.env,
      RESTATE_DISABLE_TELEMETRY: 'true',
      RESTATE_LOG_FILTER: 'error',
      RESTATE_INGRESS__BIND_ADDRESS: `127.0.0.1:${ingress}`,
      RESTATE_ADMIN__BIND_ADDRESS: `127.0.0.1:${admin}`,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const program = fileURLToPath(new URL('restate-service.mjs', import.meta.url))
  const env = { ...process.env, RESTATE_LOGGING: 'ERROR' }
  const code = fork(program, [String(service)], { env, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  const ended = Promise.all([server, code].map((child) => new Promise((resolve) => child.once('exit', resolve))))
  const kill = () => {
    server.kill('SIGKILL')
    code.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
  process.on('exit', kill)
  const stop = async () => {
    server.kill('SIGKILL')
    code.kill('SIGKILL')
    await ended
  }
  await new Promise((resolve) => code.once('message', resolve))
  await answers(`http://127.0.0.1:${admin}/health`)
  await register(admin, service)
  return { url: `http://127.0.0.1:${ingress}`, stop }
}

/** The package holds one binary per platform, each in a package of its own. */
function serverBinary() {
  const name = `@restatedev/restate-server-${process.platform}-${process.arch}`
  return createRequire(import.meta.url).resolve(`${name}/bin/restate-server`)
}

function arguments_(folder, port) {
  const listen = ['--listen-mode', 'tcp', '--bind-ip', '127.0.0.1', '--advertised-host', '127.0.0.1']
  return ['--no-logo', '--base-dir', folder, '--node-name', 'bench', ...listen, '--bind-port', String(port)]
}

async function answers(url) {
  const deadline = performance.now() + START_MS
  while (performance.now() < deadline) {
    const response = await fetch(url).catch(() => undefined)
    if (response?.ok) return
    await delay(100)
  }
  throw new Error(`the Restate server did not answer within ${START_MS / 1000} s`)
}

async function register(admin, service) {
  const response = await fetch(`http://127.0.0.1:${admin}/deployments`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ uri: `http://127.0.0.1:${service}`, force: true }),
  })
  if (!response.ok) throw new Error(`Restate refused the service: ${await response.text()}`)
}

/** Held together until all are known, so that no port is given twice. */
async function freePorts(count) {
  const servers = await Promise.all(
    Array.from({ length: count }, () => {
      const server = createServer()
      return new Promise((resolve, reject) => {
        server.once('error', reject)
        server.listen(0, '127.0.0.1', () => resolve(server))
      })
    }),
  )
  const ports = servers.map((server) => server.address().port)
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
  return ports
}
