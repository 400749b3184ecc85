import { Select } from '@mantine/core'
import type { SplitBy } from './split-query.ts'

const TOGETHER = 'together'

/** All together, or by what they are of. */
export function SplitChoice(props: {
  readonly chosen: SplitBy | undefined
  /** One node is chosen: there is nothing to split by nodes. */
  readonly ofOneNode: boolean
  readonly choose: (by: SplitBy | undefined) => void
}) {
  return (
    <Select
      size="xs"
      w={130}
      aria-label="Split"
      data={[
        { value: TOGETHER, label: 'All together' },
        { value: 'definition', label: 'By workflow' },
        { value: 'node', label: props.ofOneNode ? 'By node (one is chosen)' : 'By node', disabled: props.ofOneNode },
      ]}
      value={props.chosen ?? TOGETHER}
      allowDeselect={false}
      onChange={(value) => props.choose(value === null || value === TOGETHER ? undefined : (value as SplitBy))}
    />
  )
}
