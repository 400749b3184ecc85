import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { serverNow } from '../../api/server-time.ts'
import { sessionQuery } from '../../api/session.ts'
import { Missing } from '../../ui/missing.tsx'
import { When } from '../../ui/time.tsx'
import { shortId } from '../../ui/time-text.ts'
import { useMay } from '../../ui/use-may.ts'
import { auditQuery } from '../audit/audit-query.ts'
import { type MissingAs, missingAs } from './missing-instance.ts'

const TITLES: Readonly<Record<MissingAs['kind'], string>> = {
  deleted: 'This instance has been deleted',
  perhaps: 'There is no such instance',
  never: 'There is no such instance',
}

/** Says what became of it, as far as its id and the audit log tell. */
export function MissingInstance({ instanceId }: { readonly instanceId: string }) {
  const { allowed } = useMay('audit:read')
  const { data: caller } = useQuery(sessionQuery())
  const { data } = useQuery({
    ...auditQuery({ target: instanceId, outcome: 'done', limit: 1 }),
    enabled: allowed,
    retry: false,
  })
  // Some see the entries of all tenants: what another one has is not deleted.
  const trace = data?.items.find(({ tenant }) => tenant === caller?.tenant)
  const found = missingAs(instanceId, serverNow(), trace)
  return (
    <Missing title={TITLES[found.kind]} list={{ to: '/instances', label: 'All instances' }}>
      <span data-testid="missing-instance" data-kind={found.kind}>
        <span className="mono">{shortId(instanceId)}</span> <Words found={found} />
      </span>
    </Missing>
  )
}

function Words({ found }: { readonly found: MissingAs }) {
  if (found.kind === 'never') return <>was never here: no node makes such an id.</>
  if (found.kind === 'deleted' && found.by !== undefined)
    return (
      <>
        was deleted <When at={found.seenAt} /> by {found.by}.
      </>
    )
  const rules = (
    <Link to="/settings" search={{ tab: 'retention' } as never} className="link">
      rules of retention
    </Link>
  )
  if (found.kind === 'deleted')
    return (
      <>
        was here: the audit log speaks of it <When at={found.seenAt} />. It has ended since, and what has ended is kept
        for as long as the {rules} say.
      </>
    )
  return (
    <>
      would have been made <When at={found.madeAt} />. It was never here, belongs to another tenant, or has been
      deleted: what has ended is kept for as long as the {rules} say.
    </>
  )
}
