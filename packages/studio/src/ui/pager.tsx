import { Button, Group } from '@mantine/core'
import { ChevronLeft, ChevronRight } from 'lucide-react'
import type { Page } from '../api/wire.ts'
import classes from './table.module.css'

/** Pages by cursor; how many there are is said as far as the server knows. */
export function Pager(props: {
  readonly page: Page<unknown>
  readonly noun: string
  /** @default the noun and an s */
  readonly plural?: string
  readonly go: (cursor: string | undefined) => void
}) {
  const { next, prev } = props.page.page
  const { value, exact } = props.page.count
  return (
    <div className={classes.foot}>
      <span className="num small">
        {exact
          ? `${value.toLocaleString('en')} ${value === 1 ? props.noun : (props.plural ?? `${props.noun}s`)}`
          : `${(value - 1).toLocaleString('en')} so far, and more`}
      </span>
      {(next !== null || prev !== null) && (
        <Group gap={8}>
          <Button
            variant="default"
            size="xs"
            disabled={prev === null}
            leftSection={<ChevronLeft size={14} />}
            onClick={() => props.go(prev ?? undefined)}
          >
            Previous
          </Button>
          <Button
            variant="default"
            size="xs"
            disabled={next === null}
            rightSection={<ChevronRight size={14} />}
            onClick={() => props.go(next ?? undefined)}
          >
            Next
          </Button>
        </Group>
      )}
    </div>
  )
}
