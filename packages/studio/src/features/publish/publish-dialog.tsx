import { Button, Group, Modal, Textarea } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Rocket } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { call } from '../../api/client.ts'
import { toProblem } from '../../api/problem.ts'
import { definitionQuery, versionQuery, versionsQuery } from '../../api/queries.ts'
import type { GraphDocument } from '../../api/wire.ts'
import { ProblemCard } from '../../ui/area.tsx'
import { MayButton } from '../../ui/may-button.tsx'
import { withPublishNote } from '../versions/publish-note.ts'
import { AfterPublish } from './after-publish.tsx'
import { EffectOnRunning } from './effect-on-running.tsx'
import classes from './publish.module.css'
import { SavedBy } from './saved-by.tsx'
import { Validation, type WorkflowProblem } from './validation.tsx'
import { asItWas, WhatChanges } from './what-changes.tsx'

export interface PublishProps {
  readonly definitionId: string
  readonly document: object
  readonly problems: readonly WorkflowProblem[]
  /** Saves what is not saved yet and answers the etag to publish; undefined: it could not be saved. */
  readonly save: () => Promise<string | undefined>
  readonly published: (version: number) => void
  readonly close: () => void
}

interface Published {
  readonly version: number
}

const path = (id: string): string => `/workflow-definitions/${encodeURIComponent(id)}`

/** What will go out, whether it may, and what it means for what runs. Published is exactly what is shown. */
export function PublishDialog(props: PublishProps) {
  const { definitionId, problems } = props
  const client = useQueryClient()
  const etag = useSaved(props.save)
  // How often it was refused because the draft had changed.
  const [round, setRound] = useState(0)
  const stale = round > 0
  const definition = useQuery(definitionQuery(definitionId))
  const current = definition.data?.version ?? undefined
  const version = useQuery({ ...versionQuery(definitionId, current ?? 1), enabled: current !== undefined })
  const draft = useQuery({
    queryKey: ['publish-draft', definitionId, round],
    queryFn: () =>
      call<{ draft: GraphDocument; etag: string; problems: readonly WorkflowProblem[] }>(
        'GET',
        `${path(definitionId)}/draft`,
      ),
    enabled: etag.state === 'saved',
    ...asItWas,
  })
  const versions = useQuery({ ...versionsQuery(definitionId), ...asItWas })
  const next = (versions.data?.items[0]?.version ?? 0) + 1
  const [note, setNote] = useState('')
  // Of the draft with the note in it, once that is saved.
  const noted = useRef<string>(undefined)
  const running = version.data?.pinned
  const publish = useMutation({
    mutationFn: async () => {
      // As they are now: once it is out, both are asked for anew.
      const replaced = { before: current, running: running?.value ?? 0 }
      let based = noted.current ?? (stale ? draft.data?.etag : etag.value) ?? ''
      if (note.trim() !== '') {
        const shown = draft.data ?? (await draft.refetch({ throwOnError: true })).data!
        const sent = { headers: { 'if-match': based }, body: withPublishNote(shown.draft, next, note.trim()) }
        based = (await call<{ etag: string }>('PUT', `${path(definitionId)}/draft`, sent)).etag
        noted.current = based
      }
      const sent = { headers: { 'if-match': based } }
      return { ...(await call<Published>('POST', `${path(definitionId)}/publish`, sent)), ...replaced }
    },
    onSuccess: ({ version: number }) => {
      void client.invalidateQueries({ queryKey: ['definitions'] })
      props.published(number)
    },
    onError: (error) => {
      if (toProblem(error).status !== 412) return
      noted.current = undefined
      setRound((before) => before + 1)
    },
  })
  const found = stale ? (draft.data?.problems ?? []) : problems
  const errors = found.filter(({ severity }) => severity === 'error').length
  if (publish.data !== undefined)
    return <AfterPublish definitionId={definitionId} {...publish.data} close={props.close} />
  return (
    <Modal opened onClose={props.close} title={`Publish ${definition.data?.name ?? definitionId}`} size={720}>
      <div className={classes.parts}>
        {stale && (
          <p role="alert" className={classes.stale} data-testid="publish-stale">
            <strong>Nothing was published: the draft has changed since you looked.</strong> Below is what would go out
            now. Lines marked New are not what you saw. Look at them, then publish again.
          </p>
        )}
        {etag.state === 'failed' && (
          <p role="alert">What is on the screen could not be saved, so it cannot be published.</p>
        )}
        <WhatChanges
          definitionId={definitionId}
          current={current}
          before={version.data?.document ?? undefined}
          after={draft.data?.draft}
          ready={etag.state === 'saved' && definition.isSuccess && draft.isSuccess}
          round={round}
        />
        <SavedBy
          definitionId={definitionId}
          since={versions.data?.items.find(({ version: each }) => each === current)?.publishedAt}
        />
        <Validation problems={found} />
        {current !== undefined && <EffectOnRunning current={current} running={running} />}
        <Textarea
          label="Note"
          description="What changes, and why. Kept with the version; may be left out."
          autosize
          minRows={2}
          maxRows={6}
          maxLength={1_000}
          value={note}
          onChange={(event) => setNote(event.currentTarget.value)}
        />
        {publish.error !== null && toProblem(publish.error).status !== 412 && (
          <ProblemCard name="publish" error={publish.error} />
        )}
      </div>
      <Group justify="flex-end" mt="md">
        <Button variant="default" onClick={props.close}>
          Not yet
        </Button>
        <MayButton
          permission="definitions:publish"
          leftSection={<Rocket size={14} />}
          loading={publish.isPending || etag.state === 'saving'}
          fault={errors > 0 ? 'Mend the errors first.' : etag.state === 'failed' ? 'It could not be saved.' : undefined}
          onClick={() => publish.mutate()}
        >
          {stale ? 'Publish this' : current === undefined ? 'Publish version 1' : 'Publish'}
        </MayButton>
      </Group>
    </Modal>
  )
}

type Saved =
  | { readonly state: 'saving' | 'failed'; readonly value?: undefined }
  | { readonly state: 'saved'; readonly value: string }

/** Saved once, when the dialog opens: what is looked at from then on is what is published, or nothing. */
function useSaved(save: () => Promise<string | undefined>): Saved {
  const [saved, setSaved] = useState<Saved>({ state: 'saving' })
  const first = useRef(save)
  useEffect(() => {
    let open = true
    const done = (value: string | undefined): void => {
      if (open) setSaved(value === undefined ? { state: 'failed' } : { state: 'saved', value })
    }
    first.current().then(done, () => done(undefined))
    return () => {
      open = false
    }
  }, [])
  return saved
}
