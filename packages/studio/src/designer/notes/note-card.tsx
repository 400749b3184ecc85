import type { NodeProps } from '@xyflow/react'
import { memo } from 'react'
import type { NoteNode } from '../canvas/canvas-nodes.ts'
import { focusCanvas } from '../canvas/focus.ts'
import { setNote } from '../model/index.ts'
import { useDesigner, useDesignerState } from '../state/designer-state.ts'
import classes from './note.module.css'
import { NoteBody } from './note-body.tsx'

/** Its Markdown as it was typed while it is selected alone, else as it is read. */
export const NoteCard = memo(({ data: { note }, selected }: NodeProps<NoteNode>) => {
  const { design, readOnly } = useDesigner()
  const alone = useDesignerState(({ selection }) => selection.size === 1)
  const editing = selected && alone && readOnly === undefined
  return (
    <div className={classes.note} data-selected={selected} data-note={note.id} data-editing={editing}>
      {editing ? (
        <>
          <span className={classes.grip} title="Move the note" />
          <textarea
            className="nodrag nowheel"
            value={note.text}
            aria-label="Note"
            placeholder="Write a note, in Markdown if you like"
            // biome-ignore lint/a11y/noAutofocus: whoever selects a note alone wants to write it
            autoFocus
            onKeyDown={(event) => event.key === 'Escape' && focusCanvas()}
            onChange={(event) => setNote(design, note.id, { text: event.currentTarget.value })}
          />
        </>
      ) : note.text.trim() === '' ? (
        <span className={classes.blank}>Empty note</span>
      ) : (
        <NoteBody text={note.text} />
      )}
    </div>
  )
})
