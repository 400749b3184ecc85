import { Button, Group } from '@mantine/core'
import { useQueries } from '@tanstack/react-query'
import { Activity, X } from 'lucide-react'
import { instancesQuery } from '../../api/queries.ts'
import { useUrlSearch } from '../../app/use-url-search.ts'
import { Empty } from '../../ui/area.tsx'
import { termsOf, termText } from './filter-terms.ts'
import { StartButton } from './start-dialog.tsx'
import { weakestTerm, without } from './weakest-term.ts'

/** Nothing ran, or nothing fits: then the term that keeps most away is named. */
export function NoInstances() {
  const [search] = useUrlSearch()
  if (termsOf(search).length > 0) return <NothingFits />
  return (
    <Empty icon={<Activity size={22} />} title="Nothing has run yet" action={<StartButton />}>
      Start a workflow here, through the API, or with lockstep instances start.
    </Empty>
  )
}

function NothingFits() {
  const [search, change] = useUrlSearch()
  const terms = termsOf(search)
  const counts = useQueries({
    queries: terms.map(([name]) => ({
      ...instancesQuery({ ...without(terms, name), limit: 1 }),
      queryKey: ['instances', 'without', terms, name] as never,
      // One term alone: without it everything fits.
      enabled: terms.length > 1,
      staleTime: 10_000,
    })),
  })
  const found = weakestTerm(
    terms,
    counts.map(({ data }) => data?.count),
  )
  const drop = (names: readonly string[]): void =>
    change(Object.fromEntries([...names, 'cursor'].map((name) => [name, undefined])))
  return (
    <Empty
      icon={<Activity size={22} />}
      title="No instance fits the filter"
      action={
        <Group gap={8} justify="center">
          {found !== undefined && (
            <Button size="xs" leftSection={<X size={14} />} onClick={() => drop([found.term[0]])}>
              Drop {termText(found.term)}
            </Button>
          )}
          <Button
            variant="default"
            size="xs"
            leftSection={<X size={14} />}
            onClick={() => drop(terms.map(([name]) => name))}
          >
            Drop the filter
          </Button>
        </Group>
      }
    >
      {found !== undefined && (
        <>
          {termText(found.term)} keeps most away: without it {found.count.value.toLocaleString('en')}
          {found.count.exact ? '' : ' or more'} {found.count.value === 1 ? 'fits' : 'fit'}.
        </>
      )}
    </Empty>
  )
}
