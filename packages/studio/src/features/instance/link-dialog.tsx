import { Button, Group, Modal, Select } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../api/client.ts'
import type { OutsideWait } from '../../api/wire.ts'
import { apiRoot } from '../../browser/place.ts'
import { ProblemCard } from '../../ui/area.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { When } from '../../ui/time.tsx'
import { taskIdOf } from '../tasks/human-task.ts'
import classes from './instance.module.css'

const lives = [
  { value: '1h', label: 'An hour' },
  { value: '1d', label: 'A day' },
  { value: '7d', label: 'A week' },
  { value: '30d', label: 'A month' },
]

interface Issued {
  readonly page: string
  readonly expiresAt: string
}

/** A link with which somebody without an account does this one task, once. */
export function LinkDialog({ wait, close }: { readonly wait: OutsideWait; readonly close: () => void }) {
  const [ttl, setTtl] = useState('7d')
  const make = useMutation({
    mutationFn: () => call<Issued>('POST', `/human-tasks/${taskIdOf(wait.bookmarkId)}/token`, { body: { ttl } }),
  })
  if (make.data !== undefined) {
    const address = new URL(make.data.page, apiRoot).href
    return (
      <Modal opened onClose={close} title={`Link for ${wait.name}`} size="lg" closeOnClickOutside={false}>
        <p>
          This is the only time that the link is shown. Whoever has it can answer, once. It ends{' '}
          <When at={make.data.expiresAt} />.
        </p>
        <div className={`${classes.madeLink} mono`}>
          <a href={address} target="_blank" rel="noreferrer" className="link" data-testid="made-link">
            {address}
          </a>
          <CopyButton text={address} what="link" />
        </div>
        <Group justify="flex-end">
          <Button onClick={close}>I have it</Button>
        </Group>
      </Modal>
    )
  }
  return (
    <Modal opened onClose={close} title={`Link for ${wait.name}`} size="md">
      <p>Somebody without an account can answer with it, in any browser.</p>
      <Select
        label="Can be used for"
        data={lives}
        value={ttl}
        allowDeselect={false}
        onChange={(to) => setTtl(to ?? '7d')}
      />
      {make.error !== null && <ProblemCard name="link" error={make.error} />}
      <Group justify="flex-end" mt="md">
        <Button variant="default" onClick={close}>
          Leave it
        </Button>
        <Button loading={make.isPending} onClick={() => make.mutate()}>
          Make the link
        </Button>
      </Group>
    </Modal>
  )
}
