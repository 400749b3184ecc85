import { Select, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Blocks } from 'lucide-react'
import { useState } from 'react'
import { useUrlSearch } from '../../app/use-url-search.ts'
import { type ActivityType, activityTypesQuery } from '../../designer/palette/activity-types.ts'
import { Area, Empty } from '../../ui/area.tsx'
import { JsonView } from '../../ui/json-view.tsx'
import { Table } from '../../ui/list.tsx'
import { Card, Facts } from '../../ui/page.tsx'
import { sentence } from '../../ui/sentence.ts'
import { SidePanel } from '../../ui/side-panel.tsx'
import classes from './settings.module.css'

/** Everything that the node that answers can run. */
export function ActivityTypes() {
  const [search, change] = useUrlSearch()
  const [text, setText] = useState('')
  const query = useQuery(activityTypesQuery())
  const fits = ({ type, title, description, kind }: ActivityType): boolean =>
    (search.kind === undefined || kind === search.kind) &&
    `${type} ${title} ${description}`.toLowerCase().includes(text.trim().toLowerCase())
  const chosen = search.type === undefined ? undefined : query.data?.get(search.type)
  return (
    <Card flush>
      <div className={classes.head}>
        <p className="muted">What steps can be, on the node that answers: built in, or brought by your own code.</p>
        <span className={classes.buttons}>
          <TextInput
            size="xs"
            aria-label="Find an activity"
            placeholder="Find an activity"
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
          />
          <Select
            size="xs"
            w={140}
            aria-label="Kind"
            placeholder="Any kind"
            clearable
            clearButtonProps={{ 'aria-label': 'Any kind' }}
            data={[...new Set([...(query.data?.values() ?? [])].map(({ kind }) => kind))].map((kind) => ({
              value: kind,
              label: sentence(kind),
            }))}
            value={search.kind ?? null}
            onChange={(kind) => change({ kind: kind ?? undefined }, true)}
          />
        </span>
      </div>
      <Area
        name="activity-types"
        query={query}
        rows={8}
        isEmpty={(types) => ![...types.values()].some(fits)}
        empty={
          <Empty icon={<Blocks size={22} />} title="No activity fits">
            Another word or kind may show some.
          </Empty>
        }
      >
        {(types) => (
          <Table columns={['Type', 'Title', 'Kind', 'Leaves through', 'Does']}>
            {[...types.values()].filter(fits).map((type) => (
              <tr key={type.type} data-selected={type.type === search.type}>
                <td>
                  <button
                    type="button"
                    className={`${classes.open} mono link`}
                    onClick={() => change({ type: type.type }, true)}
                  >
                    {type.type}
                  </button>
                </td>
                <td>{type.title}</td>
                <td>{sentence(type.kind)}</td>
                <td className="mono small">{outcomeText(type.outcomes)}</td>
                <td title={type.description}>{type.description}</td>
              </tr>
            ))}
          </Table>
        )}
      </Area>
      {chosen !== undefined && (
        <SidePanel
          title={<strong className="mono">{chosen.type}</strong>}
          close={() => change({ type: undefined }, true)}
        >
          <p>{chosen.description}</p>
          <Facts
            items={[
              ['Title', chosen.title],
              ['Kind', sentence(chosen.kind)],
              ['Leaves through', outcomeText(chosen.outcomes)],
            ]}
          />
          <h3 className={classes.part}>Inputs, as a JSON schema</h3>
          <JsonView value={chosen.inputs} name="inputs" />
        </SidePanel>
      )}
    </Card>
  )
}

const outcomeText = (outcomes: ActivityType['outcomes']): string =>
  outcomes === 'any' ? 'what its code chooses' : outcomes.join(', ') || 'nothing follows'
