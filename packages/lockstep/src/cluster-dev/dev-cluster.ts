import type { Clock } from '@lockstep/base'
import { renderTable } from '../cli/terminal/table.ts'
import type { Terminal } from '../cli/terminal/terminal.ts'
import { DevNode } from './dev-node.ts'
import { type Front, openFront } from './front.ts'
import type { KeyCommand } from './keys.ts'
import { painterOf, readableLine } from './log-line.ts'
import { Supervisor } from './supervisor.ts'

export interface DevClusterOptions {
  readonly count: number
  readonly host: string
  /** Of the front; the nodes have those that follow. 0: free ones. */
  readonly port: number
  /** Of every node. */
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly terminal: Pick<Terminal, 'out' | 'isTerminal' | 'colors'>
  readonly clock: Clock
}

/** Several nodes and the front before them. */
export class DevCluster {
  readonly nodes: readonly DevNode[]
  readonly front: Front
  readonly #supervisor: Supervisor
  readonly #terminal: DevClusterOptions['terminal']
  #selected = 0

  private constructor(
    nodes: readonly DevNode[],
    front: Front,
    supervisor: Supervisor,
    terminal: DevClusterOptions['terminal'],
  ) {
    this.nodes = nodes
    this.front = front
    this.#supervisor = supervisor
    this.#terminal = terminal
  }

  /** The first node alone, which brings the schema up to date; then the others. Nothing is left when one fails. */
  static async open(options: DevClusterOptions): Promise<DevCluster> {
    const { count, host, port, environment, terminal, clock } = options
    const nodes: DevNode[] = []
    // First of all: a port that is taken is found out before anything was started.
    const addresses = (): string[] => nodes.flatMap(({ url }) => (url === undefined ? [] : [url]))
    const front = await openFront({ host, port, clock, nodes: addresses })
    const supervisor = new Supervisor({ nodes: () => nodes, say: (text) => say(terminal, text) })
    for (let index = 0; index < count; index++) {
      const name = `node-${index + 1}`
      const tell = (text: string): void => terminal.out(`${prefix(terminal, index, name)}${text}\n`)
      const node = new DevNode({
        ...{ name, host, environment, clock },
        port: port === 0 ? 0 : port + index + 1,
        onLine: (line) => tell(terminal.isTerminal ? readableLine(line, terminal.colors) : line),
        onDeath: () => tell('ended'),
        onState: () => supervisor.tellStates(),
        onMessage: (message) => void supervisor.hear(node, message),
      })
      nodes.push(node)
    }
    const cluster = new DevCluster(nodes, front, supervisor, terminal)
    try {
      await nodes[0]!.start()
      await Promise.all(nodes.slice(1).map((node) => node.start()))
      return cluster
    } catch (error) {
      await cluster.close()
      throw error
    }
  }

  /** What a key asks for; `quit` is for whoever owns the cluster. */
  async obey(command: Exclude<KeyCommand, { do: 'quit' }>): Promise<void> {
    if (command.do === 'select') {
      if (command.index < this.nodes.length) this.#selected = command.index
      return this.#say(`${this.#node.name} is selected`)
    }
    if (command.do === 'status') return this.#terminal.out(this.status())
    const node = this.#node
    if (command.do === 'kill') node.kill()
    if (command.do === 'pause') node.pause()
    if (command.do === 'revive') {
      if (node.state === 'paused') node.pause()
      this.#say(`${node.name} comes back`)
      await node.start().catch((error: Error) => this.#say(error.message))
    }
    this.#say(`${node.name}: ${command.do === 'kill' ? 'killed' : node.state}`)
  }

  status(): string {
    return renderTable(this.nodes, [
      { title: ' ', text: (node) => (node === this.#node ? '>' : ' ') },
      { title: 'NAME', text: (node) => node.name },
      { title: 'STATE', text: (node) => node.state },
      { title: 'READY', text: (node) => (node.url !== undefined && this.front.isReady(node.url) ? 'yes' : 'no') },
      { title: 'PID', text: (node) => String(node.pid ?? '-') },
      { title: 'URL', text: (node) => node.url ?? '-' },
    ])
  }

  /** One node after the other, the last one first; then the front. */
  async close(): Promise<void> {
    this.#supervisor.close()
    for (const node of [...this.nodes].reverse()) await node.stop()
    await this.front.close()
  }

  get #node(): DevNode {
    return this.nodes[this.#selected]!
  }

  #say(text: string): void {
    say(this.#terminal, text)
  }
}

const say = ({ out, colors }: Pick<Terminal, 'out' | 'colors'>, text: string): void => out(`${colors.bold(text)}\n`)

const prefix = ({ colors }: Pick<Terminal, 'colors'>, index: number, name: string): string =>
  `${painterOf(index, colors)(name)} | `
