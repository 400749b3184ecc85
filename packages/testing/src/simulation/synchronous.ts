/** A port whose methods are single steps: what a call does at the one moment at which it happens. */
export type Synchronous<Port> = {
  readonly [Method in keyof Port]: Port[Method] extends (...args: infer Args) => Promise<infer Answer>
    ? (...args: Args) => Answer
    : never
}
