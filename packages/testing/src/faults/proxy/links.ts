import type { Socket } from 'node:net'
import type { Link } from './link.ts'

/** Does something to a connection; the returned function takes it back. */
export type Visit = (link: Link, arrival: 'present' | 'new') => (() => void) | undefined

/** The connections of a proxy, and whoever wants to see each of them. */
export class Links {
  readonly #open = new Set<Link>()
  readonly #sockets = new Set<Socket>()
  readonly #visitors = new Set<(link: Link) => void>()

  get present(): readonly Link[] {
    return [...this.#open]
  }

  /** Visitors come before the first byte. */
  add(link: Link): void {
    this.#open.add(link)
    for (const socket of link.sockets) {
      this.#sockets.add(socket)
      socket.once('close', () => this.#sockets.delete(socket))
    }
    for (const visit of [...this.#visitors]) visit(link)
    link.open()
  }

  /** Its sockets may still be saying goodbye: they count until they are closed. */
  remove(link: Link): void {
    this.#open.delete(link)
  }

  /** Visits the links there are, then each new one. The returned function ends that, and undoes it on those still open. */
  each(visit: Visit): () => void {
    const undos = new Map<Link, () => void>()
    const visitLink = (link: Link, arrival: 'present' | 'new'): void => {
      for (const known of undos.keys()) if (!this.#open.has(known)) undos.delete(known)
      const undo = visit(link, arrival)
      if (undo) undos.set(link, undo)
    }
    const onNew = (link: Link): void => visitLink(link, 'new')
    this.#visitors.add(onNew)
    for (const link of this.present) visitLink(link, 'present')
    return () => {
      this.#visitors.delete(onNew)
      for (const [link, undo] of undos) if (this.#open.has(link)) undo()
    }
  }

  /** Resolves when no socket is left. */
  async destroy(): Promise<void> {
    for (const link of this.present) link.end()
    const gone = [...this.#sockets].map((socket) => new Promise((resolve) => socket.once('close', resolve)))
    for (const socket of this.#sockets) socket.destroy()
    await Promise.all(gone)
  }
}
