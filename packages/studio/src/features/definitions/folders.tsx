import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Folder as FolderIcon, FolderOpen, Layers2 } from 'lucide-react'
import { definitionsQuery } from '../../api/queries.ts'
import { useUrlSearch } from '../../app/use-url-search.ts'
import classes from './folders.module.css'
import { type Folder, foldersOf } from './tag-folders.ts'

/** Folders by tag, from one page of workflows; nothing where none has a tag. */
export function useFolders(): { readonly folders: readonly Folder[]; readonly all: string; readonly isWhole: boolean } {
  const { data } = useQuery(definitionsQuery({ limit: 200 }))
  const isWhole = data?.page.next === null
  const all = data === undefined ? '' : `${data.items.length}${isWhole ? '' : '+'}`
  return { folders: foldersOf(data?.items ?? []), all, isWhole }
}

export function Folders({ folders, all, isWhole }: ReturnType<typeof useFolders>) {
  const [search] = useUrlSearch()
  return (
    <nav className={classes.folders} aria-label="Folders">
      <Link
        to="/definitions"
        search={{} as never}
        activeProps={{}}
        aria-current={search.tag === undefined ? 'true' : undefined}
      >
        <Layers2 size={15} aria-hidden />
        <span className="clip">All</span>
        <span className="num small">{all}</span>
      </Link>
      {folders.map((folder) => (
        <FolderRow key={folder.tag} folder={folder} isOpen={search.tag === folder.tag} isWhole={isWhole} />
      ))}
    </nav>
  )
}

function FolderRow(props: { readonly folder: Folder; readonly isOpen: boolean; readonly isWhole: boolean }) {
  const { tag, label, depth, count, isOnlyParent } = props.folder
  const Icon = props.isOpen ? FolderOpen : FolderIcon
  const inside = (
    <>
      <Icon size={15} aria-hidden />
      <span className="clip">{label}</span>
      <span className="num small">
        {count}
        {props.isWhole ? '' : '+'}
      </span>
    </>
  )
  const style = { paddingLeft: 10 + depth * 14 }
  if (isOnlyParent)
    return (
      <span className={classes.parent} style={style}>
        {inside}
      </span>
    )
  return (
    <Link
      to="/definitions"
      search={{ tag } as never}
      activeProps={{}}
      title={tag}
      style={style}
      aria-current={props.isOpen ? 'true' : undefined}
    >
      {inside}
    </Link>
  )
}
