import type { DefinitionItem } from '../../api/wire.ts'

export interface Folder {
  /** The whole tag. */
  readonly tag: string
  /** Its last part: `eu` of `sales/eu`. */
  readonly label: string
  readonly depth: number
  /** Workflows with this tag or one below it. */
  readonly count: number
  /** The tags that lie in it, its own among them where a workflow has it, as the API filters by them. */
  readonly filter: string
}

/** Tags as folders: a slash stands between a folder and what lies in it. By name, those inside below the one around them. */
export function foldersOf(items: readonly Pick<DefinitionItem, 'tags'>[]): readonly Folder[] {
  const own = new Set<string>()
  const counts = new Map<string, number>()
  for (const { tags = [] } of items) {
    // A workflow counts once in a folder, however many of its tags lie there.
    const around = new Set(tags.flatMap(pathsOf))
    for (const tag of tags) own.add(tag)
    for (const path of around) counts.set(path, (counts.get(path) ?? 0) + 1)
  }
  return [...counts.keys()].sort().map((tag) => ({
    tag,
    label: tag.slice(tag.lastIndexOf('/') + 1),
    depth: tag.split('/').length - 1,
    count: counts.get(tag) ?? 0,
    filter: [...own]
      .filter((each) => each === tag || each.startsWith(`${tag}/`))
      .sort()
      .join(','),
  }))
}

/** `sales/eu/north` lies in `sales`, `sales/eu` and itself. */
const pathsOf = (tag: string): readonly string[] =>
  tag.split('/').flatMap((part, index, parts) => (part === '' ? [] : [parts.slice(0, index + 1).join('/')]))
