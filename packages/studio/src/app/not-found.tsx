import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { Compass } from 'lucide-react'
import { Empty, ProblemCard } from '../ui/area.tsx'
import { Page } from '../ui/page.tsx'

export function NotFound() {
  return (
    <Page title="Not found">
      <Empty
        icon={<Compass size={22} />}
        title="There is no page at this address"
        action={
          <Button component={Link} to="/" variant="default" size="xs">
            Go home
          </Button>
        }
      />
    </Page>
  )
}

/** One page broke; the frame around it still works. */
export function PageCrash({ error, reset }: { readonly error: unknown; readonly reset: () => void }) {
  return <ProblemCard name="page" error={error} retry={reset} />
}
