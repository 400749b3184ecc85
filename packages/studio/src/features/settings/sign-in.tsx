import { useQuery } from '@tanstack/react-query'
import { type Caller, sessionQuery } from '../../api/session.ts'
import { Area } from '../../ui/area.tsx'
import { Card, Facts } from '../../ui/page.tsx'
import { sentence } from '../../ui/sentence.ts'
import classes from './settings.module.css'

const ways: Readonly<Record<Caller['auth'], readonly [name: string, means: string]>> = {
  none: [
    'Nothing',
    'Whoever reaches this server may do everything. That is allowed only on the machine itself: a server that others reach asks for keys or single sign-on.',
  ],
  keys: ['Keys and passwords', 'Programs bring an API key; people sign in with their name and password.'],
  oidc: [
    'Single sign-on',
    'People are sent to your identity provider, which also says their role. API keys work beside it, for programs.',
  ],
}

const kinds: Readonly<Record<Caller['kind'], string>> = {
  anonymous: 'nobody has signed in',
  key: 'an API key',
  user: 'a name and a password',
  token: 'single sign-on',
}

/** What this server asks of callers, and whom it takes this browser for. */
export function SignIn() {
  const query = useQuery(sessionQuery())
  return (
    <Area name="sign-in" query={query} rows={6}>
      {(caller) => (
        <div className={classes.stack}>
          <Card title="How one signs in here">
            <Facts
              items={[
                ['Asked for', ways[caller.auth][0]],
                ['That means', ways[caller.auth][1]],
                ['Set by', <span key="set">{'LOCKSTEP_AUTH, when a node starts'}</span>],
              ]}
            />
          </Card>
          <Card title="You">
            <Facts
              items={[
                ['Name', caller.name],
                ['Signed in by', sentence(kinds[caller.kind])],
                ['Role', caller.role ?? 'none'],
                ['Tenant', caller.tenant],
                [
                  'In the audit',
                  <span key="id" className="mono">
                    {caller.id}
                  </span>,
                ],
                ['You may', <Permissions key="may" permissions={caller.permissions} />],
              ]}
            />
          </Card>
        </div>
      )}
    </Area>
  )
}

const Permissions = ({ permissions }: Pick<Caller, 'permissions'>) => (
  <ul className={classes.permissions}>
    {[...permissions].sort().map((each) => (
      <li key={each} className="mono small">
        {each}
      </li>
    ))}
  </ul>
)
