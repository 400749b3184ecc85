import { Link } from '@tanstack/react-router'
import { Folder, FolderOpen, Layers2 } from 'lucide-react'
import classes from './folder-nav.module.css'

export interface FolderItem {
  readonly key: string
  readonly label: string
  readonly depth: number
  readonly count: string
  /** What the address says when it is open. */
  readonly search: Readonly<Record<string, string>>
  readonly isOpen: boolean
  /** Something in it wants to be looked at, in a word. */
  readonly alarm?: string | undefined
}

/** Folders beside a list: one of them, or all. Which is part of the address. */
export function FolderNav(props: {
  readonly label: string
  readonly to: '/definitions' | '/locks'
  readonly all: string
  readonly items: readonly FolderItem[]
}) {
  return (
    <nav className={classes.folders} aria-label={props.label}>
      <Link
        to={props.to}
        search={{} as never}
        activeProps={{}}
        activeOptions={{ exact: true }}
        data-open={!props.items.some(({ isOpen }) => isOpen)}
      >
        <Layers2 size={15} aria-hidden />
        <span className="clip">All</span>
        <span className="num small">{props.all}</span>
      </Link>
      {props.items.map((item) => (
        <FolderRow key={item.key} item={item} to={props.to} />
      ))}
    </nav>
  )
}

function FolderRow({ item, to }: { readonly item: FolderItem; readonly to: '/definitions' | '/locks' }) {
  const { key, label, depth, count, search, isOpen, alarm } = item
  const Icon = isOpen ? FolderOpen : Folder
  return (
    <Link
      to={to}
      search={search as never}
      activeProps={{}}
      activeOptions={{ exact: true }}
      title={key}
      style={{ paddingLeft: 10 + depth * 14 }}
      data-open={isOpen}
    >
      <Icon size={15} aria-hidden />
      <span className="clip">{label}</span>
      <span className="num small">
        {alarm !== undefined && <em>{alarm}</em>} {count}
      </span>
    </Link>
  )
}
