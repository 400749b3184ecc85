import { Button, PasswordInput, SegmentedControl, TextInput } from '@mantine/core'
import { useLocalStorage } from '@mantine/hooks'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../api/client.ts'
import { credential } from '../api/credential.ts'
import { toProblem } from '../api/problem.ts'
import { basePath } from '../browser/place.ts'
import classes from './sign-in.module.css'
import { SingleSignOn } from './single-sign-on.tsx'

const ways = [
  { value: 'password', label: 'Name and password' },
  { value: 'key', label: 'API key' },
]

/** Stands in place of any page while the server asks who is there. The address stays: after it, the page is the one that was wanted. */
export function SignIn() {
  const [way, setWay] = useLocalStorage({
    key: 'lockstep-sign-in',
    defaultValue: 'password',
    getInitialValueInEffect: false,
  })
  return (
    <main className={classes.screen}>
      <div className={classes.card}>
        <img src={`${basePath}/icon.svg`} width={36} height={36} alt="" />
        <h1>Sign in to Lockstep</h1>
        <SegmentedControl data={ways} value={way} onChange={setWay} fullWidth size="xs" aria-label="How to sign in" />
        {way === 'key' ? <KeyForm /> : <PasswordForm />}
        <SingleSignOn />
      </div>
    </main>
  )
}

function PasswordForm() {
  const [name, setName] = useState('')
  const [password, setPassword] = useState('')
  const client = useQueryClient()
  const signIn = useMutation({
    mutationFn: () => call('POST', '/session', { body: { name: name.trim(), password } }),
    onSuccess: () => {
      credential.signedIn()
      void client.resetQueries()
    },
  })
  return (
    <form
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault()
        signIn.mutate()
      }}
    >
      <TextInput
        label="Name"
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        autoFocus
        required
        withAsterisk={false}
        autoComplete="username"
        autoCapitalize="none"
      />
      <PasswordInput
        label="Password"
        value={password}
        onChange={(event) => setPassword(event.currentTarget.value)}
        required
        withAsterisk={false}
        autoComplete="current-password"
        error={signIn.error === null ? undefined : toProblem(signIn.error).title}
      />
      <Button type="submit" fullWidth loading={signIn.isPending} disabled={name.trim() === '' || password === ''}>
        Sign in
      </Button>
    </form>
  )
}

function KeyForm() {
  const [key, setKey] = useState('')
  const client = useQueryClient()
  return (
    <form
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault()
        credential.give(key.trim())
        void client.resetQueries()
      }}
    >
      <PasswordInput
        label="API key"
        description="Kept for this tab only."
        value={key}
        onChange={(event) => setKey(event.currentTarget.value)}
        autoFocus
        required
        withAsterisk={false}
        autoComplete="off"
        error={credential.given ? 'The server did not take that key.' : undefined}
      />
      <Button type="submit" fullWidth disabled={key.trim() === ''}>
        Sign in
      </Button>
    </form>
  )
}
