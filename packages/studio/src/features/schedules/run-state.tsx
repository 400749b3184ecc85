import type { InstanceStatus, ScheduleRun } from '../../api/wire.ts'
import { looks, StatusChip, ToneChip } from '../../ui/status.tsx'

/** What became of a run: how its instance stands, or why there is none. */
export function RunState({ run }: { readonly run: ScheduleRun }) {
  if (run.state === 'skipped') {
    return (
      <ToneChip tone="ended">
        Skipped{run.count > 1 ? ` ×${run.count}` : ''}
        {run.reason === null ? '' : `: ${run.reason}`}
      </ToneChip>
    )
  }
  if (run.state === 'waiting') return <ToneChip tone="queued">Waits its turn</ToneChip>
  return run.status !== null && run.status in looks ? (
    <StatusChip status={run.status as InstanceStatus} />
  ) : (
    <StatusChip status="running" label="Started" />
  )
}
