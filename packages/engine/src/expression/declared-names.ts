// Which names a program has declared where, so that no name is declared twice. As acorn decides it, but with a look-up
// instead of a search for each declaration. A `var` belongs to every scope that is open around it up to its function:
// it is noted once, with the moment it was read, and a scope has it when the scope was open by then and still is.

// As acorn numbers them.
const SCOPE_TOP = 1
const SCOPE_FUNCTION = 2
const SCOPE_SIMPLE_CATCH = 32
const SCOPE_STATIC_BLOCK = 256
const KEEPS_VARS = SCOPE_TOP | SCOPE_FUNCTION | SCOPE_STATIC_BLOCK
const BIND_LEXICAL = 2
const BIND_FUNCTION = 3
const BIND_SIMPLE_CATCH = 4

export interface Scope {
  readonly flags: number
  openedAt?: number
  /** The scope that keeps the `var`s declared in this one: its function, or itself. */
  keeper?: Scope
  /** `let`, `const`, classes; in strict code functions inside blocks too. */
  lexicalNames?: Set<string>
  /** Outside of strict code. */
  functionNames?: Set<string>
  /** The name of `catch (name)`, which a `var` inside may repeat. */
  caught?: string
  /** Of a scope that keeps `var`s: when each was last read. */
  varsAt?: Map<string, number>
}

export class DeclaredNames {
  #moment = 0

  open(scope: Scope, around: Scope | undefined): void {
    scope.openedAt = this.#moment++
    scope.keeper = (scope.flags & KEEPS_VARS) === 0 && around !== undefined ? around.keeper! : scope
  }

  /** `false`: the name is taken. `scopes` are those that are open, the innermost last. */
  declare(scopes: readonly Scope[], name: string, binding: number): boolean {
    const scope = scopes.at(-1)!
    switch (binding) {
      case BIND_SIMPLE_CATCH:
        scope.caught = name
        addLexical(scope, name)
        return true
      case BIND_LEXICAL: {
        const taken = isLexical(scope, name) || scope.functionNames?.has(name) || hasVar(scope, name)
        addLexical(scope, name)
        return !taken
      }
      case BIND_FUNCTION:
        scope.functionNames ??= new Set()
        scope.functionNames.add(name)
        return !isLexical(scope, name) && (functionsAreVars(scope) || !hasVar(scope, name))
      default:
        return hasVar(scope, name) || this.#declareVar(scopes, name)
    }
  }

  #declareVar(scopes: readonly Scope[], name: string): boolean {
    const keeper = scopes.at(-1)!.keeper!
    for (let at = scopes.length - 1; at >= 0; at--) {
      const scope = scopes[at]!
      if (refusesVar(scope, name)) return false
      if (scope === keeper) break
    }
    keeper.varsAt ??= new Map()
    keeper.varsAt.set(name, this.#moment++)
    return true
  }
}

function isLexical(scope: Scope, name: string): boolean {
  return scope.lexicalNames?.has(name) === true
}

function addLexical(scope: Scope, name: string): void {
  scope.lexicalNames ??= new Set()
  scope.lexicalNames.add(name)
}

function functionsAreVars(scope: Scope): boolean {
  return (scope.flags & (SCOPE_TOP | SCOPE_FUNCTION)) !== 0
}

function refusesVar(scope: Scope, name: string): boolean {
  const mayRepeat = (scope.flags & SCOPE_SIMPLE_CATCH) !== 0 && scope.caught === name
  if (isLexical(scope, name) && !mayRepeat) return true
  return scope.functionNames?.has(name) === true && !functionsAreVars(scope)
}

function hasVar(scope: Scope, name: string): boolean {
  const readAt = scope.keeper!.varsAt?.get(name)
  return readAt !== undefined && readAt > scope.openedAt!
}
