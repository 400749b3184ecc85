import { Menu } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { LogOut, Settings, User } from 'lucide-react'
import { call } from '../api/client.ts'
import { credential } from '../api/credential.ts'
import { type Caller, sessionQuery } from '../api/session.ts'
import classes from './shell.module.css'

/** Who is here, as what, and the way out. */
export function UserMenu() {
  const { data } = useQuery(sessionQuery())
  const navigate = useNavigate()
  const client = useQueryClient()
  const signOut = useMutation({
    mutationFn: async () => {
      if (data?.kind === 'user') await call('DELETE', '/session')
      credential.forget()
      client.clear()
    },
  })
  if (data === undefined) return null
  return (
    <Menu position="bottom-end" width={240} shadow="md">
      <Menu.Target>
        <button type="button" className={classes.pill} data-testid="user-menu" title={nameOf(data)}>
          <User size={14} aria-hidden />
          {data.role ?? 'guest'}
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        <div className={classes.who}>
          <strong>{nameOf(data)}</strong>
          <span className="muted small">
            {data.auth === 'none'
              ? 'This server asks nobody who they are: everybody who reaches it may do everything.'
              : `${data.role ?? 'no role'} in ${data.tenant}, by ${wayOf[data.kind]}`}
          </span>
        </div>
        <Menu.Divider />
        <Menu.Item leftSection={<Settings size={14} />} onClick={() => void navigate({ to: '/settings' })}>
          Settings
        </Menu.Item>
        {data.auth !== 'none' && (
          <Menu.Item leftSection={<LogOut size={14} />} onClick={() => signOut.mutate()}>
            Sign out
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  )
}

const nameOf = ({ kind, name }: Caller): string => (kind === 'anonymous' ? 'Everybody' : name)

const wayOf: Readonly<Record<Caller['kind'], string>> = {
  anonymous: 'nothing',
  key: 'API key',
  user: 'password',
  token: 'single sign-on',
}
