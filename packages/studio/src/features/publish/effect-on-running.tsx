import classes from './publish.module.css'

interface EffectProps {
  readonly current: number
  readonly running: { readonly value: number; readonly exact: boolean } | undefined
}

export function EffectOnRunning({ current, running }: EffectProps) {
  const count = running === undefined ? undefined : `${running.value.toLocaleString('en')}${running.exact ? '' : '+'}`
  return (
    <section data-testid="publish-effect">
      <h3 className={classes.heading}>Running instances</h3>
      {running?.value === 0 ? (
        <p>No instance runs on version {current}. New ones get the new version.</p>
      ) : (
        <p>
          {count ?? '…'} {running?.value === 1 ? 'instance runs' : 'instances run'} on version {current} and{' '}
          {running?.value === 1 ? 'stays' : 'stay'} on it. New ones get the new version. Once it is published you can
          see which of them could go over, and move those.
        </p>
      )}
    </section>
  )
}
