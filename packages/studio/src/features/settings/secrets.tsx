import { notifications } from '@mantine/notifications'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { LockKeyhole, Plus } from 'lucide-react'
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
import table from '../../ui/table.module.css'
import { When } from '../../ui/time.tsx'
import { SecretDialog } from './secret-dialog.tsx'
import classes from './settings.module.css'
import { type Secret, secretsQuery } from './settings-queries.ts'

export function Secrets() {
  return (
    <Restricted permission="secrets:read">
      <SecretList />
    </Restricted>
  )
}

function SecretList() {
  const [search] = useUrlSearch()
  const [making, setMaking] = useState(false)
  const query = useQuery(secretsQuery(search.cursor))
  return (
    <Card flush>
      <div className={classes.head}>
        <p className="muted">
          What steps use and nobody reads: a value can be put here and never be seen again, neither here nor in a
          journal.
        </p>
        <MayButton
          size="xs"
          permission="secrets:manage"
          leftSection={<Plus size={14} />}
          onClick={() => setMaking(true)}
        >
          New secret
        </MayButton>
      </div>
      <List
        name="secrets"
        noun="secret"
        query={query}
        columns={[
          'Name',
          { label: 'Values so far', right: true },
          'May go to',
          'Sealed with key',
          'Changed',
          'By',
          { label: 'Actions', right: true },
        ]}
        empty={
          <Empty icon={<LockKeyhole size={22} />} title="No secrets yet">
            A step names a secret instead of holding a password: {'{ "$secret": "billing-token" }'}.
          </Empty>
        }
        row={(secret) => <SecretRow key={secret.name} secret={secret} />}
      />
      {making && <SecretDialog close={() => setMaking(false)} />}
    </Card>
  )
}

function SecretRow({ secret }: { readonly secret: Secret }) {
  const [asked, ask] = useState<'value' | 'delete'>()
  return (
    <tr data-testid="secret-row">
      <td className="mono">{secret.name}</td>
      <td className={`${table.right} num`}>{secret.revision}</td>
      <td>{secret.hosts.length === 0 ? 'any host' : secret.hosts.join(', ')}</td>
      <td className="mono">{secret.keyId}</td>
      <td>
        <When at={secret.updatedAt} />
      </td>
      <td>{secret.updatedBy}</td>
      <td className={table.right}>
        <span className={classes.buttons}>
          <MayButton
            size="compact-xs"
            variant="default"
            permission="secrets:manage"
            onClick={() => ask('value')}
            aria-label={`New value of ${secret.name}`}
          >
            New value…
          </MayButton>
          <MayButton
            size="compact-xs"
            variant="default"
            permission="secrets:manage"
            onClick={() => ask('delete')}
            aria-label={`Delete ${secret.name}`}
          >
            Delete…
          </MayButton>
        </span>
        {asked === 'value' && <SecretDialog secret={secret} close={() => ask(undefined)} />}
        {asked === 'delete' && <DeleteDialog name={secret.name} close={() => ask(undefined)} />}
      </td>
    </tr>
  )
}

function DeleteDialog({ name, close }: { readonly name: string; readonly close: () => void }) {
  const client = useQueryClient()
  const remove = useMutation({
    mutationFn: () => call('DELETE', `/secrets/${encodeURIComponent(name)}`),
    onSuccess: async () => {
      close()
      notifications.show({ message: `${name} is gone` })
      await client.invalidateQueries({ queryKey: ['secrets'] })
    },
  })
  return (
    <ReasonDialog
      title={`Delete ${name}`}
      effect="Steps that name it fail from their next attempt on. The value cannot be brought back."
      label="Delete"
      typed={name}
      danger
      pending={remove.isPending}
      problem={remove.error === null ? undefined : toProblem(remove.error)}
      close={close}
      confirm={() => remove.mutate()}
    />
  )
}
