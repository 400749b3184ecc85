import { accepts } from './ask-port.ts'
import { ExternalServer, ServerFailed, type ServerName } from './errors.ts'
import type { Progress } from './progress.ts'
import type { ServerHandle } from './server-handle.ts'

/** A server somebody else runs. Every verb that would disturb it is refused. */
export async function externalServer(
  server: ServerName,
  url: string,
  variable: string,
  usualPort: number,
  progress: Progress,
): Promise<ServerHandle> {
  const { hostname, port: namedPort } = new URL(url)
  const port = Number(namedPort) || usualPort
  const host = hostname.replace(/^\[|\]$/g, '') || '127.0.0.1'
  if (!(await accepts(port, host))) {
    throw new ServerFailed({ server, doing: `connecting to ${host}:${port}, which ${variable} names`, log: [] })
  }
  progress(`${server}: using the external server at ${host}:${port} (${variable})`)

  const refuse = (verb: string) => (): Promise<never> => Promise.reject(new ExternalServer({ server, verb, variable }))
  return {
    server,
    url,
    port,
    pid: undefined,
    folder: undefined,
    external: true,
    start: refuse('start'),
    restart: refuse('restart'),
    kill9: refuse('kill'),
    pause: refuse('pause'),
    resume: refuse('resume'),
    stop: () => Promise.resolve(),
    [Symbol.asyncDispose]: () => Promise.resolve(),
    log: () => [],
  }
}
