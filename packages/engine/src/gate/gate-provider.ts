/** Lets one in at a time, cheaply. A hint, never a decision: it may let two in, or nobody, and forget who is in. */
export interface GateProvider {
  /** `busy`: somebody is in. `open`: nobody can tell, so everybody may. Answers soon, and never throws. */
  tryEnter(name: string): Promise<GatePass | 'busy' | 'open'>
}

/** Where there is none. */
export const openGate: GateProvider = { tryEnter: async () => 'open' }

export interface GatePass {
  leave(): void
}
