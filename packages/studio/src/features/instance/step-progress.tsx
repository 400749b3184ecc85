import { Progress } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { progressQuery } from '../../api/queries.ts'
import type { Instance } from '../../api/wire.ts'
import { usePollMs } from '../../live/live-state.ts'
import { JsonView } from '../../ui/json-view.tsx'
import { When } from '../../ui/time.tsx'

/** How far a running step has come, as it says itself. One that says nothing is not spoken of. */
export function StepProgress({ instance, step }: { readonly instance: Instance; readonly step: string }) {
  const { data } = useQuery({ ...progressQuery(instance.id), refetchInterval: usePollMs(2_000, 2_000) })
  const said = data?.items.find((each) => each.step === step)
  if (said === undefined) return null
  const share = said.fraction ?? (said.done !== null && said.total ? said.done / said.total : undefined)
  return (
    <div data-testid="step-progress">
      <h3>Progress</h3>
      {share !== undefined && <Progress value={share * 100} size="sm" aria-label="Progress" mb={4} />}
      <p className="small" style={{ margin: 0 }}>
        {[
          share === undefined ? undefined : `${Math.round(share * 100)} %`,
          said.done === null
            ? undefined
            : `${said.done.toLocaleString('en')} of ${said.total?.toLocaleString('en') ?? '?'}`,
          said.note ?? undefined,
        ]
          .filter((each) => each !== undefined)
          .join(' · ')}{' '}
        <span className="muted">
          heard <When at={said.at} />
        </span>
      </p>
      {said.beat !== null && <JsonView value={said.beat} name="heartbeat" />}
    </div>
  )
}
