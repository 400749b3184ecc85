import { Button, Group, JsonInput, Modal } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Hourglass } from 'lucide-react'
import { useState } from 'react'
import { call } from '../../api/client.ts'
import type { Instance, OutsideWait, WaitingFor } from '../../api/wire.ts'
import { Empty, ProblemCard } from '../../ui/area.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { MayButton } from '../../ui/may-button.tsx'
import { When } from '../../ui/time.tsx'
import { DecideDialog } from '../tasks/decide-dialog.tsx'
import { taskIdOf } from '../tasks/human-task.ts'
import classes from './instance.module.css'
import { LinkDialog } from './link-dialog.tsx'

const kinds: Readonly<Record<string, string>> = { human: 'task for a person', task: 'task for a worker' }

const isOutside = (wait: WaitingFor): wait is OutsideWait => wait.bookmarkId !== null

/** What would wake it, and the way to do so by hand. */
export function WaitsTab({ instance }: { readonly instance: Instance }) {
  const [chosen, choose] = useState<OutsideWait>()
  const [linked, link] = useState<OutsideWait>()
  const [asked, decide] = useState<string>()
  return (
    <div className={classes.waits} data-testid="waits">
      {instance.waitingFor.length === 0 && (
        <Empty icon={<Hourglass size={22} />} title="It waits for nothing">
          Events, signals, tasks, people and times that an instance waits for are listed here.
        </Empty>
      )}
      {instance.waitingFor.map((wait) => (
        <div key={wait.bookmarkId ?? `${wait.kind} ${wait.name}`} className={classes.wait}>
          <div>
            <strong>{wait.name}</strong> <span className="muted">{kinds[wait.kind] ?? wait.kind}</span>
            {isOutside(wait) && (
              <div className={`${classes.bookmark} small muted mono`}>
                {wait.bookmarkId}
                <CopyButton text={wait.bookmarkId} what="bookmark id" />
              </div>
            )}
          </div>
          {wait.dueAt && (
            <span className="muted">
              Moves <When at={wait.dueAt} />
            </span>
          )}
          {wait.expiresAt && (
            <span className="muted">
              Gives up <When at={wait.expiresAt} />
            </span>
          )}
          {!isOutside(wait) ? null : wait.kind === 'human' ? (
            <>
              <MayButton size="xs" variant="default" permission="tasks:decide" onClick={() => link(wait)}>
                Make a link…
              </MayButton>
              <MayButton size="xs" permission="tasks:decide" onClick={() => decide(taskIdOf(wait.bookmarkId))}>
                Decide…
              </MayButton>
            </>
          ) : (
            <MayButton size="xs" variant="default" permission="instances:resume" onClick={() => choose(wait)}>
              Resume…
            </MayButton>
          )}
        </div>
      ))}
      {asked !== undefined && <DecideDialog taskId={asked} close={() => decide(undefined)} />}
      {linked !== undefined && <LinkDialog wait={linked} close={() => link(undefined)} />}
      {chosen !== undefined && <ResumeDialog instance={instance} wait={chosen} close={() => choose(undefined)} />}
    </div>
  )
}

function ResumeDialog(props: { readonly instance: Instance; readonly wait: OutsideWait; readonly close: () => void }) {
  const { instance, wait, close } = props
  const [text, setText] = useState('{}')
  const client = useQueryClient()
  const resume = useMutation({
    mutationFn: async () =>
      call('POST', `/workflow-instances/${instance.id}/resume`, {
        body: { bookmark: wait.bookmarkId, payload: JSON.parse(text || 'null') },
      }),
    onSuccess: async () => {
      close()
      notifications.show({ message: `${wait.name}: resumed` })
      await client.invalidateQueries({ queryKey: ['instance', instance.id] })
    },
  })
  return (
    <Modal opened onClose={close} title={`Resume ${wait.name}`} size="md">
      <form
        onSubmit={(event) => {
          event.preventDefault()
          resume.mutate()
        }}
      >
        <JsonInput
          label="Payload"
          description="JSON. The step that waits gets it as its output."
          autosize
          minRows={4}
          validationError="This is not JSON"
          value={text}
          onChange={setText}
          data-autofocus
        />
        {resume.error !== null && <ProblemCard name="resume" error={resume.error} />}
        <Group justify="flex-end" mt="md">
          <Button variant="default" onClick={close}>
            Leave it
          </Button>
          <Button type="submit" loading={resume.isPending}>
            Resume
          </Button>
        </Group>
      </form>
    </Modal>
  )
}
