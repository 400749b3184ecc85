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
  const things = value === 1 && exact ? props.noun : (props.plural ?? `${props.noun}s`)
  return (
    <div className={classes.foot}>
      <span className="num small">
        {value.toLocaleString('en')}
        {exact ? '' : '+'} {things}
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
