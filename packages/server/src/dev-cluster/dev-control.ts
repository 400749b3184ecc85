/**
 * The nodes of `lockstep cluster dev` are processes of one supervisor on one machine. It hands each of them this control, over
 * which any of them can have another one killed, frozen and brought back. Nodes that were started otherwise have none: there
 * is nothing in the environment or in a configuration file that gives it to them.
 */
export const devVerbs = ['kill', 'pause', 'continue', 'revive'] as const
export type DevVerb = (typeof devVerbs)[number]

export const devStates = ['starting', 'running', 'paused', 'stopping', 'dead'] as const
export type DevState = (typeof devStates)[number]

/** One process, as its supervisor sees it. */
export interface DevProcess {
  readonly name: string
  readonly state: DevState
  /** Its own address, behind the front; absent until it has listened for the first time. */
  readonly url?: string | undefined
}

export type DevOutcome =
  | { readonly status: 'done'; readonly process: DevProcess }
  | { readonly status: 'wrong-state'; readonly state: DevState }
  | { readonly status: 'unknown' }

export interface DevControl {
  /** The process that has this control. */
  readonly self: string
  /** Those that live and those that do not. None: there is no supervisor, or it has gone. */
  processes(): readonly DevProcess[]
  /** Settles when it was done, but for a revival, which takes as long as a start. */
  order(verb: DevVerb, name: string): Promise<DevOutcome>
}

const allowed: Readonly<Record<DevVerb, readonly DevState[]>> = {
  kill: ['starting', 'running', 'paused', 'stopping'],
  pause: ['running'],
  continue: ['paused'],
  revive: ['dead'],
}

export const allows = (verb: DevVerb, state: DevState): boolean => allowed[verb].includes(state)
