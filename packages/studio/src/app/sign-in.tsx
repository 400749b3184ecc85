import { Button, PasswordInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { credential } from '../api/credential.ts'
import { basePath } from '../browser/place.ts'
import classes from './sign-in.module.css'

/** Stands in place of any page while the server asks who is there. The address stays: after it, the page is the one that was wanted. */
export function SignIn() {
  const [key, setKey] = useState('')
  const client = useQueryClient()
  const again = credential.given
  return (
    <main className={classes.screen}>
      <form
        className={classes.card}
        onSubmit={(event) => {
          event.preventDefault()
          credential.give(key.trim())
          void client.resetQueries()
        }}
      >
        <img src={`${basePath}/icon.svg`} width={36} height={36} alt="" />
        <h1>Sign in to Lockstep</h1>
        <p className="muted">
          {again
            ? 'The server did not take that key.'
            : 'This server asks for an API key. It is kept for this tab only.'}
        </p>
        <PasswordInput
          label="API key"
          value={key}
          onChange={(event) => setKey(event.currentTarget.value)}
          autoFocus
          required
          autoComplete="current-password"
        />
        <Button type="submit" fullWidth disabled={key.trim() === ''}>
          Sign in
        </Button>
      </form>
    </main>
  )
}
