import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { HardDrive } from 'lucide-react'
import type { Designer } from '../state/designer-state.ts'
import { hasKeptCopy, type Opened, openKeptCopy } from '../state/open-designer.ts'
import classes from './frame.module.css'

/** Where the draft cannot be read: what this browser has of it, if it has something that the server never got. */
export function KeptCopy(props: {
  readonly definitionId: string
  readonly types: Designer['types']
  readonly open: (opened: Opened) => void
}) {
  const { definitionId, types } = props
  const { data: isThere } = useQuery({
    queryKey: ['kept-copy', definitionId],
    queryFn: () => hasKeptCopy(definitionId),
    // It is in the browser, network or not.
    networkMode: 'always',
    gcTime: 0,
  })
  if (isThere !== true) return null
  return (
    <div className={classes.copy} data-testid="kept-copy">
      <HardDrive size={18} aria-hidden />
      <p>
        <strong>This browser has a copy with changes that the server never got.</strong>
        <br />
        You can go on with it. It is saved when the server answers, and joined with what others did meanwhile.
      </p>
      <Button
        size="xs"
        onClick={() => void openKeptCopy(definitionId, types).then((found) => found && props.open(found))}
      >
        Open the copy
      </Button>
    </div>
  )
}
