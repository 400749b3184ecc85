import { ActionIcon, Checkbox, Popover, Switch, TextInput, Tooltip } from '@mantine/core'
import { Columns3, X } from 'lucide-react'
import { useState } from 'react'
import { useUrlSearch } from '../../app/use-url-search.ts'
import { columnsOf, isColumn, namedColumns } from './columns.ts'
import { useDensity } from './density.ts'
import classes from './instances.module.css'

/** Which columns stand beside the usual ones; any member of input, output and variables can be one. They are part of the address. */
export function ColumnChooser() {
  const [search, change] = useUrlSearch()
  const [text, setText] = useState('')
  const [density, setDensity] = useDensity()
  const chosen = columnsOf(search.columns)
  const set = (columns: readonly string[]): void => change({ columns: columns.join(',') || undefined }, true)
  const toggle = (column: string): void =>
    set(chosen.includes(column) ? chosen.filter((each) => each !== column) : [...chosen, column])
  const fits = text.trim() === '' || isColumn(text.trim())
  return (
    <Popover position="bottom-end" withArrow trapFocus>
      <Popover.Target>
        <Tooltip label="Columns">
          <ActionIcon variant="default" size={30} aria-label="Columns">
            <Columns3 size={15} />
          </ActionIcon>
        </Tooltip>
      </Popover.Target>
      <Popover.Dropdown>
        <div className={classes.columns}>
          <Switch
            size="xs"
            label="Narrow rows"
            checked={density === 'narrow'}
            onChange={(event) => setDensity(event.currentTarget.checked ? 'narrow' : 'usual')}
          />
          {Object.entries(namedColumns).map(([column, label]) => (
            <Checkbox
              key={column}
              size="xs"
              label={label}
              checked={chosen.includes(column)}
              onChange={() => toggle(column)}
            />
          ))}
          {chosen
            .filter((column) => !(column in namedColumns))
            .map((column) => (
              <span key={column} className={classes.chip}>
                {column}
                <button type="button" aria-label={`Drop ${column}`} onClick={() => toggle(column)}>
                  <X size={13} aria-hidden />
                </button>
              </span>
            ))}
          <form
            onSubmit={(event) => {
              event.preventDefault()
              if (!fits || text.trim() === '') return
              set([...chosen.filter((each) => each !== text.trim()), text.trim()])
              setText('')
            }}
          >
            <TextInput
              size="xs"
              label="A field"
              placeholder="input.customerId"
              value={text}
              error={fits ? undefined : 'Write input.name, output.name or variables.name'}
              onChange={(event) => setText(event.currentTarget.value)}
            />
          </form>
        </div>
      </Popover.Dropdown>
    </Popover>
  )
}
