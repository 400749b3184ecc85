import { Button, Group, Modal } from '@mantine/core'
import { saveFile } from '../../browser/save-file.ts'
import { type JsonObject, replaceDocument } from '../model/index.ts'
import { useDesigner, useDesignerState } from '../state/designer-state.ts'
import { bringIn } from '../state/others.ts'

/** Somebody else changed the same field meanwhile. Nothing is overwritten before one of these is chosen. */
export function ConflictDialog() {
  const { design, store, saver, definitionId } = useDesigner()
  const save = useDesignerState((state) => state.save)
  if (save.kind !== 'conflict' || saver === undefined) return null
  const { theirs, changes } = save
  const count = changes === 1 ? '1 change' : `${changes} changes`
  const join = (): void => {
    bringIn({ design, store }, JSON.parse(saver.base) as JsonObject, theirs.draft)
    saver.goOnFrom(theirs)
  }
  const takeTheirs = (): void => {
    replaceDocument(design, theirs.draft)
    saver.goOnFrom(theirs)
  }
  return (
    <Modal
      opened
      onClose={() => {}}
      withCloseButton={false}
      closeOnEscape={false}
      title="Somebody else changed this draft"
      size={560}
      data-testid="conflict"
    >
      <p>
        You and somebody else changed the same field. What you did since ({count}) is kept in this browser. Nothing was
        overwritten.
      </p>
      <ul>
        <li>Join both: their changes come in; where both changed the same field, yours stays.</li>
        <li>Take theirs: the draft is as they left it. Undo brings yours back.</li>
        <li>Save mine: your draft replaces theirs.</li>
      </ul>
      <Group justify="flex-end" mt="md" gap="xs">
        <Button
          variant="subtle"
          color="gray"
          onClick={() =>
            saveFile(`${definitionId}.json`, 'application/json', JSON.stringify(design.toGraph(), undefined, 2))
          }
        >
          Download mine
        </Button>
        <Button variant="default" onClick={() => saver.goOnFrom(theirs)}>
          Save mine
        </Button>
        <Button variant="default" onClick={takeTheirs}>
          Take theirs
        </Button>
        <Button onClick={join} data-autofocus>
          Join both
        </Button>
      </Group>
    </Modal>
  )
}
