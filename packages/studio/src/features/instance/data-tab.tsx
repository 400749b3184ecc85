import type { Instance, StateAt } from '../../api/wire.ts'
import { JsonView } from '../../ui/json-view.tsx'
import classes from './instance.module.css'

/** Input, variables and output: as they are, or as they were. */
export function DataTab(props: {
  readonly instance: Instance
  readonly state: StateAt | undefined
  readonly past: boolean
}) {
  const { instance, state } = props
  const variables = state === undefined ? instance.variables : state.variables
  const output = props.past ? state?.output : (instance.output ?? state?.output)
  return (
    <div className={classes.data} data-testid="data">
      <section>
        <h3>Input</h3>
        <JsonView value={instance.input} name="input" />
      </section>
      {variables !== null && Object.keys(variables ?? {}).length > 0 && (
        <section data-testid="variables">
          <h3>{props.past ? 'Variables then' : 'Variables'}</h3>
          <JsonView value={variables} name="variables" />
        </section>
      )}
      <section>
        <h3>{props.past ? 'Output then' : 'Output'}</h3>
        <JsonView value={output ?? null} name="output" />
      </section>
    </div>
  )
}
