import { Select } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Plus, Users as UsersIcon } from 'lucide-react'
import { useState } from 'react'
import { call } from '../../api/client.ts'
import { toProblem } from '../../api/problem.ts'
import { useUrlSearch } from '../../app/use-url-search.ts'
import { Empty } from '../../ui/area.tsx'
import { List } from '../../ui/list.tsx'
import { MayButton } from '../../ui/may-button.tsx'
import { Card } from '../../ui/page.tsx'
import { Restricted } from '../../ui/restricted.tsx'
import { ToneChip } from '../../ui/status.tsx'
import table from '../../ui/table.module.css'
import { When } from '../../ui/time.tsx'
import { NewUserDialog } from './new-user-dialog.tsx'
import classes from './settings.module.css'
import { roles, type User, usersQuery } from './settings-queries.ts'

export function Users() {
  return (
    <Restricted permission="users:manage">
      <UserList />
    </Restricted>
  )
}

function UserList() {
  const [search] = useUrlSearch()
  const [making, setMaking] = useState(false)
  const query = useQuery(usersQuery(search.cursor))
  return (
    <Card flush>
      <div className={classes.head}>
        <p className="muted">People who sign in to Studio with a name and a password.</p>
        <MayButton size="xs" permission="users:manage" leftSection={<Plus size={14} />} onClick={() => setMaking(true)}>
          New user
        </MayButton>
      </div>
      <List
        name="users"
        noun="user"
        query={query}
        columns={['Name', 'State', 'Role', 'Tenant', 'Made', 'Last sign-in', { label: 'Actions', right: true }]}
        empty={
          <Empty icon={<UsersIcon size={22} />} title="No users yet">
            Whoever signs in with a password is listed here. Keys and single sign-on need no user.
          </Empty>
        }
        row={(user) => <UserRow key={user.name} user={user} />}
      />
      {making && <NewUserDialog close={() => setMaking(false)} />}
    </Card>
  )
}

function UserRow({ user }: { readonly user: User }) {
  const client = useQueryClient()
  const change = useMutation({
    mutationFn: (body: { readonly role?: string; readonly disabled?: boolean }) =>
      call<User>('PUT', `/users/${encodeURIComponent(user.name)}`, { body }),
    onSuccess: async (after) => {
      notifications.show({
        title: user.name,
        message: after.disabled ? 'Disabled. All sessions have ended.' : `Is ${after.role}. Sessions begin anew.`,
      })
      await client.invalidateQueries({ queryKey: ['users'] })
    },
    onError: (error) =>
      notifications.show({ color: 'danger', title: toProblem(error).title, message: toProblem(error).detail }),
  })
  return (
    <tr>
      <td>{user.name}</td>
      <td>
        <ToneChip tone={user.disabled ? 'ended' : 'completed'}>{user.disabled ? 'Disabled' : 'Active'}</ToneChip>
      </td>
      <td>
        <Select
          size="xs"
          w={120}
          aria-label={`Role of ${user.name}`}
          data={[...roles]}
          value={user.role}
          allowDeselect={false}
          onChange={(role) => role !== null && role !== user.role && change.mutate({ role })}
        />
      </td>
      <td>{user.tenant}</td>
      <td>
        <When at={user.createdAt} />
      </td>
      <td>
        <When at={user.lastSignInAt} none="never" />
      </td>
      <td className={table.right}>
        <MayButton
          size="compact-xs"
          variant="default"
          permission="users:manage"
          loading={change.isPending}
          onClick={() => change.mutate({ disabled: !user.disabled })}
        >
          {user.disabled ? 'Enable' : 'Disable'}
        </MayButton>
      </td>
    </tr>
  )
}
