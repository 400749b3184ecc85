import { Button, Group, Modal, Skeleton, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { call } from '../api/client.ts'
import type { Template } from '../features/templates/template.ts'
import { ProblemCard } from '../ui/area.tsx'
import { MayButton } from '../ui/may-button.tsx'
import classes from './new-workflow.module.css'

const ID = /^[a-z0-9]+(?:-[a-z0-9]+)*$/

/** `Order approval` becomes `order-approval`. */
export const idFrom = (name: string): string =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 100)

export function NewWorkflowButton() {
  const [open, setOpen] = useState(false)
  return (
    <>
      <MayButton
        size="xs"
        permission="definitions:write"
        leftSection={<Plus size={14} />}
        onClick={() => setOpen(true)}
      >
        New workflow
      </MayButton>
      {open && <NewWorkflow close={() => setOpen(false)} />}
    </>
  )
}

const Gallery = lazy(() =>
  import('../features/templates/template-gallery.tsx').then((module) => ({ default: module.TemplateGallery })),
)
const EMPTY = 'empty'

/** Asks what it is called and what to begin with, and opens its drawing. */
export function NewWorkflow(props: {
  readonly close: () => void
  /** Chosen already. */
  readonly template?: Template
}) {
  const { close } = props
  const [template, choose] = useState(props.template)
  const [named, setName] = useState<string>()
  const [typed, setTyped] = useState<string>()
  const name = named ?? template?.title ?? ''
  const navigate = useNavigate()
  const id = typed ?? idFrom(name)
  const fits = ID.test(id) && id.length <= 100
  const create = useMutation({
    mutationFn: () =>
      call<{ id: string }>('POST', '/workflow-definitions', {
        body: { id, name: name.trim() || id, ...(template?.document ?? { activities: [] }) },
      }),
    onSuccess: (created) =>
      void navigate({ to: '/definitions/$definitionId/design', params: { definitionId: created.id } }),
  })
  return (
    <Modal opened onClose={close} title="New workflow" size={960}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (fits) create.mutate()
        }}
      >
        <div className={classes.names}>
          <TextInput
            label="Name"
            data-autofocus
            maxLength={200}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <TextInput
            label="Id"
            description="Lower-case letters, digits and hyphens. It never changes."
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            value={id}
            error={id !== '' && !fits && 'This is no id'}
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
        </div>
        <section className={classes.begin} aria-label="Begin with">
          <h3>Begin with</h3>
          <Suspense fallback={<Skeleton height={330} />}>
            <Gallery label="Templates" blank={EMPTY} chosen={template?.key ?? EMPTY} choose={choose} />
          </Suspense>
        </section>
        {create.error !== null && <ProblemCard name="new-workflow" error={create.error} />}
        <Group justify="flex-end" mt="md">
          <Button variant="default" onClick={close}>
            Close
          </Button>
          <Button type="submit" disabled={!fits} loading={create.isPending}>
            Create
          </Button>
        </Group>
      </form>
    </Modal>
  )
}
