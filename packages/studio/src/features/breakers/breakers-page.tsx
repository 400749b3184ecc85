import { useQuery } from '@tanstack/react-query'
import { Zap } from 'lucide-react'
import { useState } from 'react'
import { useUrlSearch } from '../../app/use-url-search.ts'
import { usePollMs } from '../../live/live-state.ts'
import { Area, Empty } from '../../ui/area.tsx'
import { MayButton } from '../../ui/may-button.tsx'
import { Card, Page } from '../../ui/page.tsx'
import { Pager } from '../../ui/pager.tsx'
import { BreakerCard } from './breaker-card.tsx'
import classes from './breakers.module.css'
import { breakersQuery } from './breakers-queries.ts'
import { TripDialog } from './trip-dialog.tsx'

export function BreakersPage() {
  const [search, change] = useUrlSearch()
  const [tripping, setTripping] = useState(false)
  const query = useQuery({ ...breakersQuery(search.cursor), refetchInterval: usePollMs(1_500, 1_500) })
  return (
    <Page
      title="Breakers"
      lead="Keep steps from calling what fails. All nodes agree on each: open lets nothing through, half-open one probe."
      actions={
        <MayButton
          size="xs"
          variant="default"
          permission="flow:operate"
          leftSection={<Zap size={14} />}
          onClick={() => setTripping(true)}
        >
          Open one by hand…
        </MayButton>
      }
    >
      <Area
        name="breakers"
        query={query}
        rows={4}
        isEmpty={({ items }) => items.length === 0}
        empty={
          <Card flush>
            <Empty icon={<Zap size={22} />} title="No breaker has opened yet">
              A step with a breaker appears here once what it calls has failed too often.
            </Empty>
          </Card>
        }
      >
        {(page) => (
          <>
            <div className={classes.cards}>
              {page.items.map((breaker) => (
                <BreakerCard key={breaker.key} breaker={breaker} readAt={page.readAt} />
              ))}
            </div>
            {page.page.next !== null && <Pager page={page} noun="breaker" go={(cursor) => change({ cursor })} />}
          </>
        )}
      </Area>
      {tripping && <TripDialog close={() => setTripping(false)} />}
    </Page>
  )
}
