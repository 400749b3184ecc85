import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { systemClock } from '@lockstep/base'
import { DevNode } from '../../packages/lockstep/src/cluster-dev/dev-node.ts'
import { type Front, openFront } from '../../packages/lockstep/src/cluster-dev/front.ts'

export interface ClusterOptions {
  readonly databaseUrl: string
  /** What the environment of each node has besides; there are as many nodes. */
  readonly environments: readonly Readonly<Record<string, string>>[]
}

/** Real `lockstep server` processes behind a front, and shell lines for operators that kill and restart them. */
export class ServerCluster implements AsyncDisposable {
  readonly nodes: readonly DevNode[]
  readonly front: Front
  readonly #control: Server
  readonly #failures: string[]

  private constructor(nodes: readonly DevNode[], front: Front, control: Server, failures: string[]) {
    this.nodes = nodes
    this.front = front
    this.#control = control
    this.#failures = failures
  }

  static async open({ databaseUrl, environments }: ClusterOptions): Promise<ServerCluster> {
    const failures: string[] = []
    const nodes = environments.map((extra, index) => serverNode(`node-${index + 1}`, databaseUrl, extra, failures))
    await nodes[0]!.start()
    await Promise.all(nodes.map((node) => node.start()))
    const urls = nodes.map((node) => node.url!)
    const front = await openFront({ host: '127.0.0.1', port: 0, clock: systemClock, nodes: () => urls })
    const control = createServer((request, response) => {
      const [, verb, name] = (request.url ?? '').split('/')
      const done = verb === 'kill' ? kill(nodes, name) : restartInTurn(nodes)
      done.then(
        () => response.writeHead(200).end(),
        () => response.writeHead(500).end(),
      )
    })
    await new Promise<void>((resolve) => control.listen(0, '127.0.0.1', resolve))
    return new ServerCluster(nodes, front, control, failures)
  }

  get urls(): readonly string[] {
    return this.nodes.map((node) => node.url!)
  }

  /** Lines of the nodes' logs that tell of a failure of ours. */
  get failures(): readonly string[] {
    return this.#failures
  }

  get killCommand(): string {
    return this.#line('kill/{name}')
  }

  get restartCommand(): string {
    return this.#line('restart')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#control.closeAllConnections()
    this.#control.close()
    await this.front.close()
    for (const node of this.nodes) node.kill()
    await Promise.all(this.nodes.map((node) => node.ended()))
  }

  #line(path: string): string {
    const { port } = this.#control.address() as AddressInfo
    const program = `fetch('http://127.0.0.1:${port}/${path}').then((r) => process.exit(r.ok ? 0 : 1))`
    return `"${process.execPath}" -e "${program}"`
  }
}

export function serverNode(
  name: string,
  databaseUrl: string,
  extra: Readonly<Record<string, string>>,
  failures: string[],
): DevNode {
  return new DevNode({
    name,
    host: '127.0.0.1',
    port: 0,
    environment: { PATH: process.env.PATH, LOCKSTEP_DATABASE_URL: databaseUrl, ...extra },
    clock: systemClock,
    onLine: (line) => line.includes('"level":"error"') && failures.push(`${name}: ${line}`),
    onDeath: () => undefined,
  })
}

async function kill(nodes: readonly DevNode[], name: string | undefined): Promise<void> {
  const node = nodes.find((each) => each.name === name)
  if (node === undefined) throw new Error(`no node is called ${name}`)
  node.kill()
  await node.ended()
}

/** As a deployment does it: the next one goes when the one before is back. */
async function restartInTurn(nodes: readonly DevNode[]): Promise<void> {
  for (const node of nodes) {
    await node.stop()
    await node.start()
  }
}
