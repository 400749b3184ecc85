import type { StepKey } from '../../journal/fact.ts'

/** Old ids of activities, and what they are called in the new version. Others keep their ids. */
export type ActivityMapping = Readonly<Record<string, string>>

const ID = /^[A-Za-z0-9_-]+/

/** Renames activities wherever their ids stand in keys: `guard:catch.loop[3].ask#2` is of guard, loop and ask. */
export class StepNames {
  readonly #mapping: ReadonlyMap<string, string>

  constructor(mapping: ActivityMapping) {
    this.#mapping = new Map(Object.entries(mapping))
  }

  activity(id: string): string {
    return this.#mapping.get(id) ?? id
  }

  /** Of a step, or of a run of a nested graph. */
  key(key: StepKey): StepKey {
    if (this.#mapping.size === 0) return key
    return key
      .split('.')
      .map((segment) => segment.replace(ID, (id) => this.activity(id)))
      .join('.')
  }
}
