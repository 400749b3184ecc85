import { useEffect, useId, useRef, useState } from 'react'
import type { Position } from '../model/index.ts'
import classes from './palette.module.css'

export interface PickItem {
  readonly id: string
  readonly label: string
  readonly hint?: string
  readonly icon?: React.ReactNode
}

/** A field and a list under it: typing narrows the list, arrows choose, Enter takes, Escape leaves. */
export function PickList(props: {
  readonly label: string
  readonly placeholder: string
  readonly at: Position
  readonly itemsFor: (text: string) => readonly PickItem[]
  readonly pick: (id: string) => void
  readonly close: () => void
  readonly nothing: string
  readonly children?: React.ReactNode
}) {
  const { label, at, itemsFor, pick, close } = props
  const [text, setText] = useState('')
  const [marked, setMarked] = useState(0)
  const id = useId()
  const box = useRef<HTMLDivElement>(null)
  const items = itemsFor(text)
  const current = Math.min(marked, items.length - 1)
  useEffect(() => {
    box.current?.querySelector(`[data-marked="true"]`)?.scrollIntoView({ block: 'nearest' })
  })
  useEffect(() => {
    const outside = (event: PointerEvent): void => {
      if (!box.current?.contains(event.target as Node)) close()
    }
    window.addEventListener('pointerdown', outside, true)
    return () => window.removeEventListener('pointerdown', outside, true)
  }, [close])
  const onKey = (event: React.KeyboardEvent): void => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step !== 0 && items.length > 0) setMarked((current + step + items.length) % items.length)
    else if (event.key === 'Enter' && items[current] !== undefined) pick(items[current].id)
    else if (event.key === 'Escape') close()
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  const left = Math.max(8, Math.min(at.x, window.innerWidth - 348))
  const top = Math.max(8, Math.min(at.y, window.innerHeight - 388))
  return (
    <div
      ref={box}
      role="dialog"
      aria-label={label}
      className={classes.pick}
      style={{ left, top }}
      onKeyDown={(event) => event.key === 'Escape' && close()}
    >
      {props.children}
      <input
        // biome-ignore lint/a11y/noAutofocus: it was just asked for, and is the only thing to do
        autoFocus
        role="combobox"
        aria-label={label}
        aria-expanded="true"
        aria-controls={`${id}-list`}
        aria-activedescendant={items[current] === undefined ? undefined : `${id}-${current}`}
        placeholder={props.placeholder}
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value)
          setMarked(0)
        }}
        onKeyDown={onKey}
      />
      <div role="listbox" id={`${id}-list`} aria-label={label} className={classes.options}>
        {items.map((item, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the keys
          <div
            key={item.id}
            id={`${id}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === current}
            data-marked={index === current}
            className={classes.option}
            onClick={() => pick(item.id)}
            onPointerMove={() => setMarked(index)}
          >
            {item.icon}
            <span className={classes.optionWords}>
              <strong>{item.label}</strong>
              {item.hint !== undefined && <span className="clip small muted">{item.hint}</span>}
            </span>
          </div>
        ))}
        {items.length === 0 && <p className={`muted ${classes.nothing}`}>{props.nothing}</p>}
      </div>
    </div>
  )
}
