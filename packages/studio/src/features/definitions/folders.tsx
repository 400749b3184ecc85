import { useQuery } from '@tanstack/react-query'
import { definitionsQuery } from '../../api/queries.ts'
import { useUrlSearch } from '../../app/use-url-search.ts'
import { type FolderItem, FolderNav } from '../../ui/folder-nav.tsx'
import { foldersOf } from './tag-folders.ts'

interface Known {
  readonly items: readonly FolderItem[]
  readonly all: string
}

/** Folders by tag, from one page of workflows; none where no workflow has a tag. */
export function useFolders(): Known {
  const [search] = useUrlSearch()
  const { data } = useQuery(definitionsQuery({ limit: 200 }))
  const more = data?.page.next === null ? '' : '+'
  const folders = foldersOf(data?.items ?? [])
  // One that holds nothing but another shows the same: the inner one is what is open.
  const open = folders.findLast(({ filter }) => filter === search.tag)
  const items = folders.map(({ tag, label, depth, count, filter }) => ({
    ...{ key: tag, label, depth, count: `${count}${more}` },
    search: { tag: filter },
    isOpen: open?.tag === tag,
  }))
  return { items, all: data === undefined ? '' : `${data.items.length}${more}` }
}

export const Folders = (known: Known) => <FolderNav label="Folders" to="/definitions" {...known} />
