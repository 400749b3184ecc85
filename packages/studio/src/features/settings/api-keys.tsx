import { notifications } from '@mantine/notifications'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { KeyRound, Plus } from 'lucide-react'
import { useState } from 'react'
import { call } from '../../api/client.ts'
import { toProblem } from '../../api/problem.ts'
import { useUrlSearch } from '../../app/use-url-search.ts'
import { Empty } from '../../ui/area.tsx'
import { List } from '../../ui/list.tsx'
import { MayButton } from '../../ui/may-button.tsx'
import { Card } from '../../ui/page.tsx'
import { ReasonDialog } from '../../ui/reason-dialog.tsx'
import { Restricted } from '../../ui/restricted.tsx'
import { ToneChip } from '../../ui/status.tsx'
import table from '../../ui/table.module.css'
import { When } from '../../ui/time.tsx'
import { NewKeyDialog } from './new-key-dialog.tsx'
import classes from './settings.module.css'
import { type ApiKey, keysQuery } from './settings-queries.ts'

export function ApiKeys() {
  return (
    <Restricted permission="keys:manage">
      <KeyList />
    </Restricted>
  )
}

function KeyList() {
  const [search] = useUrlSearch()
  const [making, setMaking] = useState(false)
  const query = useQuery(keysQuery(search.cursor))
  return (
    <Card flush>
      <div className={classes.head}>
        <p className="muted">What programs sign in with. A key is shown once, when it is made.</p>
        <MayButton size="xs" permission="keys:manage" leftSection={<Plus size={14} />} onClick={() => setMaking(true)}>
          New key
        </MayButton>
      </div>
      <List
        name="keys"
        noun="key"
        query={query}
        columns={[
          'Name',
          'State',
          'Role',
          'May',
          'Tenant',
          'Made',
          'Expires',
          'Last used',
          { label: 'Actions', right: true },
        ]}
        empty={
          <Empty icon={<KeyRound size={22} />} title="No keys yet">
            A key lets a program use the API, with the role and for the time that you choose.
          </Empty>
        }
        row={(key) => <KeyRow key={key.id} apiKey={key} />}
      />
      {making && <NewKeyDialog close={() => setMaking(false)} />}
    </Card>
  )
}

function KeyRow({ apiKey }: { readonly apiKey: ApiKey }) {
  const [asked, setAsked] = useState(false)
  const client = useQueryClient()
  const revoke = useMutation({
    mutationFn: () => call('POST', `/api-keys/${apiKey.id}/revoke`),
    onSuccess: async () => {
      setAsked(false)
      notifications.show({ title: apiKey.name, message: 'Revoked. Every node refuses it within two seconds.' })
      await client.invalidateQueries({ queryKey: ['api-keys'] })
    },
  })
  const state = apiKey.live ? 'Valid' : apiKey.revokedAt === null ? 'Expired' : 'Revoked'
  return (
    <tr>
      <td>{apiKey.name}</td>
      <td>
        <ToneChip tone={apiKey.live ? 'completed' : 'ended'}>{state}</ToneChip>
      </td>
      <td>{apiKey.role}</td>
      <td title={apiKey.permissions?.join(', ') ?? ''}>
        {apiKey.permissions === null ? 'All of its role' : apiKey.permissions.join(', ')}
      </td>
      <td>{apiKey.tenant}</td>
      <td>
        <When at={apiKey.createdAt} />
      </td>
      <td>
        <When at={apiKey.expiresAt} none="never" />
      </td>
      <td>
        <When at={apiKey.lastUsedAt} none="never" />
      </td>
      <td className={table.right}>
        <MayButton
          size="compact-xs"
          variant="default"
          permission="keys:manage"
          fault={apiKey.live ? undefined : `It is ${state.toLowerCase()} already`}
          onClick={() => setAsked(true)}
        >
          Revoke
        </MayButton>
        {asked && (
          <ReasonDialog
            title={`Revoke ${apiKey.name}`}
            effect="Whoever uses it is refused from now on. A revoked key cannot be made valid again."
            label="Revoke"
            danger
            pending={revoke.isPending}
            problem={revoke.error === null ? undefined : toProblem(revoke.error)}
            close={() => {
              revoke.reset()
              setAsked(false)
            }}
            confirm={() => revoke.mutate()}
          />
        )}
      </td>
    </tr>
  )
}
