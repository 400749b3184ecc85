import { useState } from 'react'
import type { GraphDocument, Instance, StateAt } from '../../api/wire.ts'
import { JsonView } from '../../ui/json-view.tsx'
import { MayButton } from '../../ui/may-button.tsx'
import classes from './instance.module.css'
import { VariablesDialog } from './variables-dialog.tsx'

/** Input, variables and output: as they are, or as they were. */
export function DataTab(props: {
  readonly instance: Instance
  readonly state: StateAt | undefined
  readonly document: GraphDocument | undefined
  readonly past: boolean
}) {
  const { instance, state, document, past } = props
  const [editing, edit] = useState(false)
  const variables = state === undefined ? instance.variables : state.variables
  const output = past ? state?.output : (instance.output ?? state?.output)
  const some = variables !== null && Object.keys(variables ?? {}).length > 0
  return (
    <div className={classes.data} data-testid="data">
      <section>
        <h3>Input</h3>
        <JsonView value={instance.input} name="input" />
      </section>
      {some && (
        <section data-testid="variables">
          <div className={classes.dataHead}>
            <h3>{past ? 'Variables then' : 'Variables'}</h3>
            {!past && (
              <MayButton
                size="compact-xs"
                variant="default"
                permission="instances:operate"
                fault={instance.finishedAt === null ? undefined : `It has ended: it is ${instance.status}`}
                onClick={() => edit(true)}
              >
                Change…
              </MayButton>
            )}
          </div>
          <JsonView value={variables} name="variables" />
        </section>
      )}
      <section>
        <h3>{past ? 'Output then' : 'Output'}</h3>
        <JsonView value={output ?? null} name="output" />
      </section>
      {editing && <VariablesDialog instance={instance} state={state} document={document} close={() => edit(false)} />}
    </div>
  )
}
