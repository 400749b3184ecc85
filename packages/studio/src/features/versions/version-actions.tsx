import { Button, Menu } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { ChevronDown, Download, RotateCcw } from 'lucide-react'
import { useState } from 'react'
import { call } from '../../api/client.ts'
import { toProblem } from '../../api/problem.ts'
import { versionQuery } from '../../api/queries.ts'
import type { GraphDocument } from '../../api/wire.ts'
import { MayButton } from '../../ui/may-button.tsx'
import { ReasonDialog } from '../../ui/reason-dialog.tsx'
import { RetractEffect } from '../definitions/retract-effect.tsx'
import { exportTo } from './export-text.ts'
import classes from './versions.module.css'

interface VersionActionsProps {
  readonly definitionId: string
  /** `draft`, or the number of a version. */
  readonly source: string
  /** The one that new instances get. */
  readonly current: number | undefined
  readonly restore: (document: GraphDocument) => void
}

/** What can be done with one of them. */
export function VersionActions({ definitionId, source, current, restore }: VersionActionsProps) {
  const [retracting, retract] = useState(false)
  const isDraft = source === 'draft'
  const version = useQuery({ ...versionQuery(definitionId, Number(source) || 1), enabled: !isDraft })
  const client = useQueryClient()
  const point = useMutation({
    mutationFn: (path: string) => call('POST', `/workflow-definitions/${encodeURIComponent(definitionId)}/${path}`),
    onSuccess: () => {
      retract(false)
      void client.invalidateQueries({ queryKey: ['definitions'] })
    },
    onError: (error) =>
      notifications.show({ color: 'red', title: toProblem(error).title, message: toProblem(error).detail }),
  })
  const isCurrent = !isDraft && Number(source) === current
  return (
    <div className={classes.actions}>
      {!isDraft && (
        <MayButton
          permission="definitions:write"
          size="xs"
          variant="default"
          leftSection={<RotateCcw size={13} />}
          fault={version.data === undefined ? 'It is being read' : undefined}
          onClick={() => version.data?.document && restore(version.data.document)}
        >
          Restore as draft
        </MayButton>
      )}
      {!isDraft && !isCurrent && (
        <MayButton
          permission="definitions:publish"
          size="xs"
          variant="default"
          loading={point.isPending}
          onClick={() => point.mutate(`versions/${source}/publish`)}
        >
          Make current
        </MayButton>
      )}
      {isCurrent && (
        <MayButton permission="definitions:publish" size="xs" variant="default" onClick={() => retract(true)}>
          Retract…
        </MayButton>
      )}
      <Menu position="bottom-end">
        <Menu.Target>
          <Button
            size="xs"
            variant="default"
            leftSection={<Download size={13} />}
            rightSection={<ChevronDown size={12} />}
          >
            Export
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => void exportTo(definitionId, source, 'json')}>JSON</Menu.Item>
          <Menu.Item onClick={() => void exportTo(definitionId, source, 'yaml')}>YAML</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {retracting && (
        <ReasonDialog
          title={`Retract version ${source}`}
          effect={
            <>
              <p>
                No new instance starts, unless it names a version. Those that run go on. Publishing again undoes it.
              </p>
              <RetractEffect id={definitionId} version={Number(source)} />
            </>
          }
          label="Retract"
          danger
          pending={point.isPending}
          problem={point.error === null ? undefined : toProblem(point.error)}
          close={() => retract(false)}
          confirm={() => point.mutate('retract')}
        />
      )}
    </div>
  )
}
