import { useQuery } from '@tanstack/react-query'
import { MailX } from 'lucide-react'
import { useState } from 'react'
import { useUrlSearch } from '../../app/use-url-search.ts'
import { usePollMs } from '../../live/live-state.ts'
import { Empty } from '../../ui/area.tsx'
import { List } from '../../ui/list.tsx'
import { MayButton } from '../../ui/may-button.tsx'
import { ToneChip } from '../../ui/status.tsx'
import table from '../../ui/table.module.css'
import { When } from '../../ui/time.tsx'
import { DeadLetterDialog } from './dead-letter-dialog.tsx'
import { type DeadLetter, deadLettersQuery } from './queues-queries.ts'

/** What came from outside and could not start its workflow. */
export function DeadLetters() {
  const [search] = useUrlSearch()
  const query = useQuery({ ...deadLettersQuery(search.cursor), refetchInterval: usePollMs(3_000, 3_000) })
  return (
    <List
      name="dead-letters"
      noun="dead letter"
      query={query}
      columns={['Workflow', 'From', 'Why', 'What was wrong', 'Arrived', { label: 'Actions', right: true }]}
      empty={
        <Empty icon={<MailX size={22} />} title="No dead letters">
          A message that can never start its workflow as it stands is kept here, to be mended and tried again.
        </Empty>
      }
      row={(letter) => <LetterRow key={letter.id} letter={letter} />}
    />
  )
}

function LetterRow({ letter }: { readonly letter: DeadLetter }) {
  const [open, setOpen] = useState(false)
  return (
    <tr data-testid="dead-letter-row">
      <td className="mono">{letter.definitionId}</td>
      <td className="mono">{letter.source}</td>
      <td>
        <ToneChip tone="faulted">{letter.code}</ToneChip>
      </td>
      <td>{letter.reason}</td>
      <td>
        <When at={letter.arrivedAt} />
      </td>
      <td className={table.right}>
        <MayButton size="compact-xs" variant="default" permission="incidents:resolve" onClick={() => setOpen(true)}>
          Open…
        </MayButton>
        {open && <DeadLetterDialog id={letter.id} close={() => setOpen(false)} />}
      </td>
    </tr>
  )
}
