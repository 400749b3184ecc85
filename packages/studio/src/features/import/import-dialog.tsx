import { Button, Checkbox, Group, Modal, SegmentedControl } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { FileUp, Upload } from 'lucide-react'
import { useMemo, useRef, useState } from 'react'
import type { CodeMark } from '../../editor/code-mark.ts'
import { CodeEditor } from '../../editor/lazy-editor.tsx'
import { ProblemCard } from '../../ui/area.tsx'
import { MayButton } from '../../ui/may-button.tsx'
import { formatOf, type ImportFormat } from './format-of.ts'
import classes from './import.module.css'
import { type ImportReport, importText } from './import-report.ts'
import { ImportResult } from './import-result.tsx'

/** A text as workflows. What would happen is shown before anything is saved. */
export function ImportDialog({ close, given = '' }: { readonly close: () => void; readonly given?: string }) {
  const [text, setText] = useState(given)
  const [chosen, choose] = useState<ImportFormat>()
  const [acceptProblems, accept] = useState(false)
  const [settled] = useDebouncedValue(text, 300)
  const format = chosen ?? formatOf(settled)
  const client = useQueryClient()
  const navigate = useNavigate()
  const file = useRef<HTMLInputElement>(null)
  const preview = useQuery({
    queryKey: ['import-preview', settled, format, acceptProblems],
    queryFn: ({ signal }) => importText(settled, { format, dryRun: true, acceptProblems }, signal),
    enabled: settled.trim() !== '',
    placeholderData: keepPreviousData,
    retry: false,
    gcTime: 0,
  })
  const save = useMutation({
    mutationFn: () => importText(text, { format, dryRun: false, acceptProblems }),
    onSuccess: ({ documents }) => {
      void client.invalidateQueries({ queryKey: ['definitions'] })
      notifications.show({ message: savedText(documents.length) })
      close()
      const [only] = documents
      if (documents.length === 1 && only?.id)
        void navigate({ to: '/definitions/$definitionId', params: { definitionId: only.id } })
    },
  })
  const report = settled.trim() === '' ? undefined : preview.data
  const marks = useMemo(() => marksOf(report), [report])
  const invalid = report?.documents.some(({ outcome }) => outcome === 'invalid') ?? true
  const take = async (files: FileList | null): Promise<void> => {
    const [first] = files ?? []
    if (first !== undefined) setText(await first.text())
  }
  return (
    <Modal opened onClose={close} title="Import workflows" size={900}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the button beside it does the same */}
      <div
        className={classes.parts}
        onDragOver={(event) => event.preventDefault()}
        onDrop={(event) => {
          event.preventDefault()
          void take(event.dataTransfer.files)
        }}
      >
        <Group gap={8}>
          <Button size="xs" variant="default" leftSection={<FileUp size={13} />} onClick={() => file.current?.click()}>
            Choose a file
          </Button>
          <span className="muted small">or drop it here, or paste its text: JSON, YAML, or what Elsa 3 exports</span>
          <SegmentedControl
            className={classes.format ?? ''}
            size="xs"
            aria-label="Format"
            data={[
              { value: 'json', label: 'JSON' },
              { value: 'yaml', label: 'YAML' },
              { value: 'elsa', label: 'Elsa 3' },
            ]}
            value={format}
            onChange={(value) => choose(value as ImportFormat)}
          />
          <input
            ref={file}
            type="file"
            hidden
            accept=".json,.yaml,.yml,application/json"
            data-testid="import-file"
            onChange={(event) => void take(event.currentTarget.files)}
          />
        </Group>
        <div className={classes.text}>
          <CodeEditor
            label="Text to import"
            language={format === 'yaml' ? 'text' : 'json'}
            value={text}
            onChange={setText}
            marks={marks}
            showFirst
            numbers
            placeholder={'id: my-workflow\nactivities:\n  - id: hello\n    type: log\n    inputs: { message: Hello }'}
          />
        </div>
        {preview.error !== null && <ProblemCard name="import-preview" error={preview.error} />}
        {report !== undefined && preview.error === null && <ImportResult report={report} />}
        {save.error !== null && <ProblemCard name="import" error={save.error} />}
      </div>
      <Group justify="flex-end" mt="md">
        <Checkbox
          size="xs"
          className={classes.accept ?? ''}
          label="Take documents with errors too, as drafts to be mended"
          checked={acceptProblems}
          onChange={(event) => accept(event.currentTarget.checked)}
        />
        <Button variant="default" onClick={close}>
          Close
        </Button>
        <MayButton
          permission="definitions:write"
          leftSection={<Upload size={14} />}
          loading={save.isPending}
          fault={
            report === undefined ? 'There is nothing to import yet.' : invalid ? 'Mend the errors first.' : undefined
          }
          onClick={() => save.mutate()}
        >
          Import
        </MayButton>
      </Group>
    </Modal>
  )
}

const savedText = (count: number): string => (count === 1 ? 'Saved as a draft' : `${count} workflows saved as drafts`)

function marksOf(report: ImportReport | undefined): readonly CodeMark[] {
  const problems = report?.documents.flatMap((document) => document.problems) ?? []
  return problems.flatMap(({ line, column, text, severity }) =>
    line === undefined ? [] : [{ line, column: column ?? 1, text, severity }],
  )
}
