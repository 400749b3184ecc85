/** The place of a parameter among the locals of a frame. */
export type Binding = number

export interface CompileContext {
  readonly locals: ReadonlyMap<string, Binding>
  /** Shared by the whole compilation. */
  readonly counter: { nodes: number; places: number }
  readonly depth: number
}

/** Thrown while compiling: the expression is not of the subset. */
export class Refused {
  readonly what: string

  constructor(what: string) {
    this.what = what
  }
}

export function refused(what: string): Refused {
  return new Refused(what)
}

export function withLocals(
  context: CompileContext,
  names: readonly string[],
): { readonly inner: CompileContext; readonly places: readonly Binding[] } {
  const places = names.map(() => context.counter.places++)
  const locals = new Map([...context.locals, ...names.map((name, index) => [name, places[index]!] as const)])
  return { inner: { ...context, locals }, places }
}
