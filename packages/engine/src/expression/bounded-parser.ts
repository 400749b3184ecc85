// acorn, without what grows faster than the text. Three things did, and a source of 64 KB could take seconds:
//   names     a list of names was searched for every declaration, each `var` noted again in every block around it, and
//             the function around an identifier looked for through all those blocks
//   patterns  `[[[a] = 1] = 1] = 1` was checked anew from every level
//   depth     was measured after reading, so that both of the above had any depth to multiply with
// These are methods that acorn's types do not name; its version is pinned, and a test compares what the two accept.

import { type Node, type Options, Parser, type Program } from 'acorn'
import { DeclaredNames, type Scope } from './declared-names.ts'

/** Levels of a tree that a program may have: a limit of our own, well before the host's stack. */
export const DEEPEST = 400
/** What stands around a source has levels too. While reading they are counted roughly, and never too high. */
const DEEPEST_READ = DEEPEST + 16

/** Thrown while reading. */
export class TooDeep extends Error {}

export function parseBounded(text: string, options: Options): Program {
  return new BoundedParser(options, text).parse()
}

/** With the scopes around it that acorn asks for at every identifier. */
interface ReadScope extends Scope {
  varScope?: ReadScope
  thisScope?: ReadScope
}

// As acorn numbers them: a whole program, a function, a static block, the value of a field.
const HAS_OWN_THIS = 1 | 2 | 256 | 512
const SCOPE_ARROW = 16

interface Internals {
  readonly scopeStack: readonly ReadScope[]
  currentVarScope(): Scope
  currentThisScope(): Scope
  parse(): Program
  enterScope(flags: number): void
  declareName(name: string, binding: number, at: number): void
  raiseRecoverable(at: number, message: string): void
  checkLValPattern(pattern: Node, binding?: number, clashes?: object): void
  parseStatement(...given: unknown[]): Node
  parseMaybeUnary(...given: unknown[]): Node
  parseBindingAtom(): Node
}

const Acorn = Parser as unknown as new (options: Options, text: string) => Internals

class BoundedParser extends Acorn {
  // Not initialised here: acorn's constructor opens the first scope before our fields are there.
  declare names: DeclaredNames | undefined
  readonly #checked = new Set<Node>()
  #depth = 0

  override enterScope(flags: number): void {
    super.enterScope(flags)
    const scope = this.scopeStack.at(-1)!
    const around = this.scopeStack.at(-2)
    this.names ??= new DeclaredNames()
    this.names.open(scope, around)
    const own = (flags & HAS_OWN_THIS) !== 0 || around === undefined
    scope.varScope = own ? scope : around.varScope!
    scope.thisScope = own && (flags & SCOPE_ARROW) === 0 ? scope : around!.thisScope!
  }

  override currentVarScope(): Scope {
    return this.scopeStack.at(-1)!.varScope!
  }

  override currentThisScope(): Scope {
    return this.scopeStack.at(-1)!.thisScope!
  }

  override declareName(name: string, binding: number, at: number): void {
    if (this.names!.declare(this.scopeStack, name, binding)) return
    this.raiseRecoverable(at, `Identifier '${name}' has already been declared`)
  }

  /** A pattern that binds nothing is checked alike from every level around it. */
  override checkLValPattern(pattern: Node, binding = 0, clashes?: object): void {
    if (binding === 0) {
      if (this.#checked.has(pattern)) return
      this.#checked.add(pattern)
    }
    super.checkLValPattern(pattern, binding, clashes)
  }

  // Inside another of these three, each reads a deeper level of the tree.

  override parseStatement(...given: unknown[]): Node {
    this.#descend()
    const node = super.parseStatement(...given)
    this.#depth--
    return node
  }

  override parseMaybeUnary(...given: unknown[]): Node {
    this.#descend()
    const node = super.parseMaybeUnary(...given)
    this.#depth--
    return node
  }

  override parseBindingAtom(): Node {
    this.#descend()
    const node = super.parseBindingAtom()
    this.#depth--
    return node
  }

  #descend(): void {
    this.#depth++
    if (this.#depth > DEEPEST_READ) throw new TooDeep()
  }
}
