import type { CustomActivity } from '@lockstep/engine'
import { activitiesOf, isActivity } from './activities-of.ts'
import { loadAnew } from './load-module.ts'

/** A file that activities come from, and that can be loaded anew. */
export interface ActivitySource {
  readonly file: string
  /** Those that the node has begun with. */
  readonly activities: readonly CustomActivity[]
  /** `onFile` hears of each file that it consists of, also when it cannot be loaded. */
  reload(onFile: (file: string) => void): Promise<readonly CustomActivity[]>
}

export function moduleSource(file: string, exported: unknown): ActivitySource {
  return { ...addedSource(file), activities: activitiesOf(exported, file) }
}

/** A module that came after the node had begun: it has nothing until it is loaded. */
export function addedSource(file: string): ActivitySource {
  return {
    file,
    activities: [],
    reload: async (onFile) => activitiesOf(await loadAnew(file, onFile), file),
  }
}

/** Activities that stand in the configuration file itself, or that it imports. `read` finds its options in what it exports. */
export function configSource(
  file: string,
  activities: readonly CustomActivity[],
  read: (exported: unknown) => unknown,
): ActivitySource {
  return {
    file,
    activities,
    reload: async (onFile) => {
      const { activities: listed } = read(await loadAnew(file, onFile)) as { readonly activities?: unknown }
      return (Array.isArray(listed) ? listed : []).filter(isActivity)
    },
  }
}
