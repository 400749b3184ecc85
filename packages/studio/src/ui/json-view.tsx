import { ChevronRight } from 'lucide-react'
import { useState } from 'react'
import { CopyButton } from './copy-button.tsx'
import classes from './json-view.module.css'

const MOST_MEMBERS = 200
const LONGEST_TEXT = 400

/** A value as a tree. Everything in it is text, whatever it contains. */
export function JsonView({ value, name }: { readonly value: unknown; readonly name?: string }) {
  return (
    <div className={classes.view}>
      <div className={classes.copy}>
        <CopyButton text={JSON.stringify(value, undefined, 2) ?? 'undefined'} what={name ?? 'value'} />
      </div>
      <Branch value={value} depth={0} />
    </div>
  )
}

function Branch({ value, depth, label }: { readonly value: unknown; readonly depth: number; readonly label?: string }) {
  const [open, setOpen] = useState(depth < 2)
  const members = membersOf(value)
  if (members === undefined || members.length === 0) {
    return (
      <div className={classes.line}>
        {label !== undefined && <span className={classes.name}>{label}: </span>}
        <Leaf value={value} />
      </div>
    )
  }
  const brackets = Array.isArray(value) ? '[ ]' : '{ }'
  return (
    <div>
      <button type="button" className={classes.fold} aria-expanded={open} onClick={() => setOpen(!open)}>
        <ChevronRight size={12} aria-hidden className={open ? classes.open : undefined} />
        {label !== undefined && <span className={classes.name}>{label}:</span>}
        <span className="muted">
          {brackets} {members.length}
        </span>
      </button>
      {open && (
        <div className={classes.members}>
          {members.slice(0, MOST_MEMBERS).map(([key, each]) => (
            <Branch key={key} value={each} depth={depth + 1} label={key} />
          ))}
          {members.length > MOST_MEMBERS && (
            <div className="muted small">{members.length - MOST_MEMBERS} more: copy the value to see them</div>
          )}
        </div>
      )}
    </div>
  )
}

function membersOf(value: unknown): readonly (readonly [string, unknown])[] | undefined {
  if (Array.isArray(value)) return value.map((each, index) => [String(index), each])
  return typeof value === 'object' && value !== null ? Object.entries(value) : undefined
}

function Leaf({ value }: { readonly value: unknown }) {
  const [whole, setWhole] = useState(false)
  if (typeof value !== 'string') return <span className={classes[kindOf(value)]}>{JSON.stringify(value) ?? '–'}</span>
  const cut = !whole && value.length > LONGEST_TEXT
  return (
    <span className={classes.text}>
      "{cut ? value.slice(0, LONGEST_TEXT) : value}"
      {cut && (
        <button type="button" className={classes.more} onClick={() => setWhole(true)}>
          {value.length - LONGEST_TEXT} more characters
        </button>
      )}
    </span>
  )
}

const kindOf = (value: unknown): string =>
  typeof value === 'number' ? 'number' : typeof value === 'boolean' ? 'boolean' : 'nothing'
