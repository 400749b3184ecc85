// As much load over HTTP as a server takes, by a program that takes next to nothing of the processor for itself.
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { aptInstaller, locatorFor } from '@lockstep/testing/harness'

const exec = promisify(execFile)

/** Installs it where it is not: Debian has it. */
async function findWrk() {
  const locate = locatorFor(process.env.PATH)
  if (locate('wrk') === undefined)
    await aptInstaller().install(
      ['wrk'],
      () => locate('wrk') !== undefined,
      () => {},
    )
  return locate('wrk')
}

/** Requests for `seconds` over so many connections, each as soon as the one before was answered. */
export async function fireAll({ url, body, connections, seconds }) {
  const wrk = await findWrk()
  const folder = await mkdtemp(path.join(tmpdir(), 'lockstep-wrk-'))
  try {
    const script = path.join(folder, 'request.lua')
    await writeFile(script, luaOf(body))
    const args = ['-t', '1', '-c', String(connections), '-d', `${seconds}s`, '--timeout', '30s', '--latency']
    const { stdout } = await exec(wrk, [...args, '-s', script, url])
    return readReport(stdout, url)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const luaOf = (body) =>
  body === undefined
    ? ''
    : [
        'wrk.method = "POST"',
        `wrk.body = ${JSON.stringify(JSON.stringify(body))}`,
        'wrk.headers["Content-Type"] = "application/json"',
      ].join('\n')

const UNITS = { us: 0.001, ms: 1, s: 1000, m: 60_000 }

function readReport(text, url) {
  const failed = /Non-2xx or 3xx responses: \d+|Socket errors: .*/.exec(text)?.[0]
  if (failed !== undefined) throw new Error(`${url}: ${failed}`)
  const at = (share) => {
    const found = new RegExp(`^\\s+${share}%\\s+([\\d.]+)(us|ms|s|m)$`, 'm').exec(text)
    if (found === null) throw new Error(`${url}: nothing was answered in time, or wrk says it in other words:\n${text}`)
    const [, value, unit] = found
    return Number(value) * UNITS[unit]
  }
  const perSecond = Number(/^Requests\/sec:\s+([\d.]+)$/m.exec(text)[1])
  return { perSecond, p50Ms: at(50), p90Ms: at(90), p99Ms: at(99) }
}
