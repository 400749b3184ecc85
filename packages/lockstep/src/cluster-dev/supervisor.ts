import { allows, type DevOutcome, type DevProcess, type DevVerb } from '@lockstep/server'
import type { DevNode } from './dev-node.ts'
import { fromNode } from './messages.ts'

export interface SupervisorOptions {
  readonly nodes: () => readonly DevNode[]
  /** For whoever sits at the terminal. */
  readonly say: (text: string) => void
}

/** Does with the nodes of a dev cluster what one of them was asked to have done, and tells all of them how they stand. */
export class Supervisor {
  readonly #nodes: () => readonly DevNode[]
  readonly #say: (text: string) => void
  #isClosing = false

  constructor({ nodes, say }: SupervisorOptions) {
    this.#nodes = nodes
    this.#say = say
  }

  tellStates(): void {
    const processes = this.#nodes().map(viewOf)
    for (const node of this.#nodes()) node.tell({ clusterDev: 'states', processes })
  }

  async hear(from: DevNode, message: unknown): Promise<void> {
    const asked = fromNode(message)
    if (asked === undefined) return
    const outcome = await this.order(asked.verb, asked.name)
    from.tell({ clusterDev: 'outcome', id: asked.id, outcome })
  }

  async order(verb: DevVerb, name: string): Promise<DevOutcome> {
    const node = this.#nodes().find((each) => each.name === name)
    if (node === undefined) return { status: 'unknown' }
    // A node that comes back behind the one that stops them all would be left over.
    const state = this.#isClosing ? 'stopping' : node.state
    if (this.#isClosing || !allows(verb, state)) return { status: 'wrong-state', state }
    this.#say(`${name}: ${verb}, asked for over the API`)
    await this.#carryOut(node, verb)
    return { status: 'done', process: viewOf(node) }
  }

  /** From here on nothing is done any more. */
  close(): void {
    this.#isClosing = true
  }

  async #carryOut(node: DevNode, verb: DevVerb): Promise<void> {
    switch (verb) {
      case 'kill':
        node.kill()
        await node.ended()
        return
      case 'pause':
      case 'continue':
        node.pause()
        return
      case 'revive':
        // Not waited for: it takes as long as a start, and the states tell when it is there.
        node.start().catch((error: Error) => this.#say(error.message))
    }
  }
}

const viewOf = ({ name, state, url }: DevNode): DevProcess => ({ name, state, url })
