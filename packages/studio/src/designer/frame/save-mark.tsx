import { Button, Tooltip } from '@mantine/core'
import { Check, CloudOff, LoaderCircle, TriangleAlert } from 'lucide-react'
import type { SaveState } from '../save/saver.ts'
import { useDesigner, useDesignerState } from '../state/designer-state.ts'
import classes from './frame.module.css'

const changes = (count: number): string => (count === 1 ? '1 change kept' : `${count} changes kept`)

const looks: Record<SaveState['kind'], { readonly icon: typeof Check; readonly text: (state: SaveState) => string }> = {
  saved: { icon: Check, text: () => 'Saved' },
  saving: { icon: LoaderCircle, text: () => 'Saving' },
  offline: { icon: CloudOff, text: (state) => `Offline (${changes('changes' in state ? state.changes : 0)})` },
  problem: { icon: TriangleAlert, text: () => 'Problem' },
  conflict: { icon: TriangleAlert, text: () => 'Changed by somebody else' },
}

/** Where the work is: with the server, on the way, or only here. */
export function SaveMark() {
  const { saver } = useDesigner()
  const save = useDesignerState((state) => state.save)
  const { icon: Icon, text } = looks[save.kind]
  const why = save.kind === 'problem' ? `${save.problem.title}. ${save.problem.detail}` : undefined
  return (
    <Tooltip label={why} disabled={why === undefined} multiline maw={360}>
      <span className={classes.save} data-save={save.kind} role="status">
        <Icon size={13} aria-hidden />
        {text(save)}
        {(save.kind === 'offline' || save.kind === 'problem') && (
          <Button size="compact-xs" variant="subtle" onClick={() => saver?.tryAgain()}>
            Try again
          </Button>
        )}
      </span>
    </Tooltip>
  )
}
