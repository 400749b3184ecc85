import { Tabs } from '@mantine/core'
import { lazy, Suspense } from 'react'
import { useUrlSearch } from '../../app/use-url-search.ts'
import { Page } from '../../ui/page.tsx'
import { About } from './about.tsx'
import { Appearance } from './appearance.tsx'
import { SignIn } from './sign-in.tsx'

const parts = [
  ['keys', 'API keys', lazy(() => import('./api-keys.tsx').then((module) => ({ default: module.ApiKeys })))],
  ['users', 'Users', lazy(() => import('./users.tsx').then((module) => ({ default: module.Users })))],
  ['sign-in', 'Sign-in', SignIn],
  ['secrets', 'Secrets', lazy(() => import('./secrets.tsx').then((module) => ({ default: module.Secrets })))],
  ['retention', 'Retention', lazy(() => import('./retention.tsx').then((module) => ({ default: module.Retention })))],
  [
    'activities',
    'Activity types',
    lazy(() => import('./activity-types.tsx').then((module) => ({ default: module.ActivityTypes }))),
  ],
  ['appearance', 'Appearance', Appearance],
  ['about', 'About', About],
] as const

export function SettingsPage() {
  const [search, change] = useUrlSearch()
  const tab = parts.some(([name]) => name === search.tab) ? search.tab! : 'keys'
  return (
    <Page title="Settings" lead="Who may do what, what is kept, and how this looks">
      <Tabs value={tab} onChange={(to) => change({ tab: to ?? undefined, cursor: undefined })} keepMounted={false}>
        <Tabs.List mb="md">
          {parts.map(([name, label]) => (
            <Tabs.Tab key={name} value={name}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {parts.map(([name, , Part]) => (
          <Tabs.Panel key={name} value={name}>
            <Suspense>
              <Part />
            </Suspense>
          </Tabs.Panel>
        ))}
      </Tabs>
    </Page>
  )
}
