import { Button, Group, Modal, Select, TextInput } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Play } from 'lucide-react'
import { useEffect, useMemo, useState } from 'react'
import { call } from '../../api/client.ts'
import { definitionsQuery, versionQuery } from '../../api/queries.ts'
import type { Instance } from '../../api/wire.ts'
import { formOf } from '../../form/form-of.ts'
import { jsonIn, jsonText, ValueEditor } from '../../form/value-editor.tsx'
import { ProblemCard } from '../../ui/area.tsx'
import { MayButton } from '../../ui/may-button.tsx'
import { exampleOf } from './example-of.ts'

interface StartProps {
  /** Chosen beforehand. */
  readonly definitionId?: string
  readonly input?: unknown
  readonly label?: string
  /** @default 'filled' */
  readonly variant?: 'filled' | 'default'
}

export function StartButton({ label = 'Start a workflow', variant = 'filled', ...chosen }: StartProps) {
  const [open, setOpen] = useState(false)
  return (
    <>
      <MayButton
        size="xs"
        variant={variant}
        permission="instances:start"
        leftSection={<Play size={14} />}
        onClick={() => setOpen(true)}
      >
        {label}
      </MayButton>
      {open && <StartDialog {...chosen} close={() => setOpen(false)} />}
    </>
  )
}

const remembered = (id: string): string => `lockstep-input ${id}`

/** The input is prefilled: what was given last, else what the schema asks for. */
function StartDialog({ close, ...chosen }: StartProps & { readonly close: () => void }) {
  const [definitionId, setDefinitionId] = useState<string | null>(chosen.definitionId ?? null)
  const [text, setText] = useState<string>()
  const [correlationId, setCorrelationId] = useState('')
  const navigate = useNavigate()
  const { data: definitions } = useQuery(definitionsQuery({ published: true, limit: 200 }))
  const definition = definitions?.items.find(({ id }) => id === definitionId)
  const { data: version } = useQuery({
    ...versionQuery(definitionId ?? '', definition?.version ?? 1),
    enabled: typeof definition?.version === 'number',
  })
  const schema = version?.document?.input
  const isForm = useMemo(() => formOf(schema).fields.length > 0, [schema])
  const value = jsonIn(text ?? '')
  useEffect(() => {
    if (definitionId === null) return
    const last = chosen.input === undefined ? localStorage.getItem(remembered(definitionId)) : undefined
    setText(last ?? jsonText(chosen.input ?? exampleOf(schema)))
  }, [definitionId, schema, chosen.input])
  const start = useMutation({
    mutationFn: () =>
      call<Instance>('POST', '/workflow-instances', {
        body: {
          definitionId,
          input: value,
          ...(correlationId.trim() === '' ? {} : { correlationId: correlationId.trim() }),
        },
      }),
    onSuccess: (instance) => {
      localStorage.setItem(remembered(instance.definitionId), text ?? '')
      close()
      void navigate({ to: '/instances/$instanceId', params: { instanceId: instance.id } })
    },
  })
  return (
    <Modal opened onClose={close} title="Start a workflow" size={isForm ? 'xl' : 'lg'}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          start.mutate()
        }}
      >
        <Select
          label="Workflow"
          searchable
          withAsterisk
          data={
            definitions?.items.map(({ id, name }) => ({ value: id, label: name === id ? id : `${name} (${id})` })) ?? []
          }
          value={definitionId}
          onChange={setDefinitionId}
          nothingFoundMessage="No published workflow is called that"
          autoFocus={definitionId === null}
        />
        {/* Another workflow asks for other things. */}
        <ValueEditor key={definitionId} label="Input" schema={schema} text={text ?? ''} onChange={setText} />
        <TextInput
          mt="sm"
          label="Correlation id"
          description="Events with the same one reach it. May be left out."
          value={correlationId}
          maxLength={255}
          onChange={(event) => setCorrelationId(event.currentTarget.value)}
        />
        {start.error !== null && <ProblemCard name="start" error={start.error} />}
        <Group justify="flex-end" mt="md">
          <Button variant="default" onClick={close}>
            Close
          </Button>
          <Button type="submit" disabled={definitionId === null || value === undefined} loading={start.isPending}>
            Start
          </Button>
        </Group>
      </form>
    </Modal>
  )
}
