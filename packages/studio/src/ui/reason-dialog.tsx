import { Button, Group, Modal, Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { Problem } from '../api/problem.ts'
import { ProblemCard } from './area.tsx'

/** Names the thing and what will happen to it. What cannot be taken back may ask for its name to be typed. */
export function ReasonDialog(props: {
  readonly title: string
  readonly effect: React.ReactNode
  readonly label: string
  readonly reasonLabel?: string
  readonly reasonRequired?: boolean
  /** Must be typed before it is done. */
  readonly typed?: string
  readonly danger?: boolean
  /** There is nothing to do it to. */
  readonly blocked?: boolean
  readonly pending: boolean
  readonly problem: Problem | undefined
  readonly close: () => void
  readonly confirm: (reason: string) => void
}) {
  const [reason, setReason] = useState('')
  const [typed, setTyped] = useState('')
  const ready =
    props.blocked !== true &&
    (props.reasonRequired !== true || reason.trim() !== '') &&
    (props.typed === undefined || typed === props.typed)
  return (
    <Modal opened onClose={props.close} title={props.title} size="md">
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (ready) props.confirm(reason.trim())
        }}
      >
        <div>{props.effect}</div>
        {props.reasonLabel !== undefined && (
          <Textarea
            mt="md"
            label={props.reasonLabel}
            description={props.reasonRequired ? 'Kept with the record' : 'Kept with the record. May be left out.'}
            autosize
            required={props.reasonRequired === true}
            maxLength={255}
            value={reason}
            onChange={(event) => setReason(event.currentTarget.value)}
            data-autofocus
          />
        )}
        {props.typed !== undefined && (
          <TextInput
            mt="md"
            label={`Type ${props.typed} to go on`}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
            autoComplete="off"
          />
        )}
        {props.problem !== undefined && <ProblemCard name="dialog" error={props.problem} />}
        <Group justify="flex-end" mt="md">
          <Button variant="default" onClick={props.close}>
            Leave it
          </Button>
          <Button type="submit" color={props.danger ? 'danger' : 'brand'} loading={props.pending} disabled={!ready}>
            {props.label}
          </Button>
        </Group>
      </form>
    </Modal>
  )
}
