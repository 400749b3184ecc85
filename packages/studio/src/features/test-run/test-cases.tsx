import { ActionIcon, Button, TextInput, Tooltip } from '@mantine/core'
import { BookmarkPlus, Check, ListChecks, LoaderCircle, Play, X } from 'lucide-react'
import { useState } from 'react'
import { ProblemCard } from '../../ui/area.tsx'
import { MayButton } from '../../ui/may-button.tsx'
import { ToneChip } from '../../ui/status.tsx'
import { LONGEST_NAME, MOST_CASES, type TestCase } from './test-case.ts'
import classes from './test-run.module.css'
import { useTestCases, type Verdict } from './use-test-cases.ts'

interface TestCasesProps {
  readonly definitionId: string
  readonly save: () => Promise<boolean>
  /** What the last run was begun with and how it stands; undefined: there is none to keep. */
  readonly last: Omit<TestCase, 'name'> | undefined
}

/** Runs that are kept under a name, in this browser, and whether they still end as they did. */
export function TestCases({ definitionId, save, last }: TestCasesProps) {
  const { cases, verdicts, run, add, remove } = useTestCases(definitionId, save)
  const [name, setName] = useState<string>()
  const [full, setFull] = useState(false)
  const told = (name ?? '').trim()
  const isKnown = cases.some((each) => each.name === told)
  const keep = (): void => {
    if (told === '' || last === undefined) return
    if (add({ ...last, name: told })) setName(undefined)
    else setFull(true)
  }
  return (
    <section className={classes.cases} aria-label="Test cases" data-testid="test-cases">
      <div className={classes.label}>
        <strong>Test cases</strong>
        {name === undefined && (
          <MayButton
            size="compact-xs"
            variant="subtle"
            leftSection={<BookmarkPlus size={12} />}
            fault={last === undefined ? 'Run it first: how that ends is what is expected.' : undefined}
            onClick={() => setName('')}
          >
            Save as test case
          </MayButton>
        )}
        {cases.length > 0 && (
          <MayButton
            permission="definitions:write"
            size="compact-xs"
            variant="subtle"
            leftSection={<ListChecks size={12} />}
            fault={run.isPending ? 'They are being run.' : undefined}
            onClick={() => run.mutate(cases)}
          >
            Run all cases
          </MayButton>
        )}
        <Summary cases={cases} verdicts={verdicts} />
      </div>
      {name !== undefined && (
        <form
          className={classes.caseName}
          onSubmit={(event) => {
            event.preventDefault()
            keep()
          }}
        >
          <TextInput
            size="xs"
            autoFocus
            aria-label="Name of the test case"
            placeholder="What it shows, such as: a small order"
            maxLength={LONGEST_NAME}
            value={name}
            error={full && `A workflow has at most ${MOST_CASES}: remove one first.`}
            onChange={(event) => {
              setFull(false)
              setName(event.currentTarget.value)
            }}
          />
          <Button size="compact-xs" type="submit" disabled={told === ''}>
            {isKnown ? 'Replace' : 'Save'}
          </Button>
          <Button size="compact-xs" variant="default" onClick={() => setName(undefined)}>
            Leave it
          </Button>
        </form>
      )}
      {cases.length === 0 && name === undefined && (
        <p className="small muted">None. Keep a run with its input and pins, and run it again after a change.</p>
      )}
      {run.error !== null && <ProblemCard name="test-cases" error={run.error} />}
      <ul>
        {cases.map((each) => (
          <Row
            key={each.name}
            each={each}
            verdict={verdicts.get(each.name)}
            busy={run.isPending}
            run={() => run.mutate([each])}
            remove={() => remove(each.name)}
          />
        ))}
      </ul>
    </section>
  )
}

function Row(props: {
  readonly each: TestCase
  readonly verdict: Verdict | undefined
  readonly busy: boolean
  readonly run: () => void
  readonly remove: () => void
}) {
  const { each, verdict } = props
  const { name, expected } = each
  return (
    <li data-case={name} data-verdict={verdict?.status ?? ''}>
      <span className="clip" title={name}>
        {name} <span className="small muted">{expected.status}</span>
      </span>
      <span role="status">
        <VerdictMark verdict={verdict} />
      </span>
      <MayButton
        permission="definitions:write"
        size="compact-xs"
        variant="subtle"
        px={0}
        aria-label={`Run ${name}`}
        fault={props.busy ? 'Others are being run.' : undefined}
        onClick={props.run}
      >
        <Play size={12} aria-hidden />
      </MayButton>
      <Tooltip label="Remove">
        <ActionIcon size={24} variant="subtle" color="gray" aria-label={`Remove ${name}`} onClick={props.remove}>
          <X size={12} />
        </ActionIcon>
      </Tooltip>
      {verdict?.status === 'failed' && <p className={classes.fault}>{verdict.why}</p>}
    </li>
  )
}

function VerdictMark({ verdict }: { readonly verdict: Verdict | undefined }) {
  if (verdict === undefined) return null
  if (verdict.status === 'running')
    return (
      <ToneChip tone="running">
        <LoaderCircle size={11} aria-hidden /> Running
      </ToneChip>
    )
  return verdict.status === 'passed' ? (
    <ToneChip tone="completed">
      <Check size={11} aria-hidden /> Passed
    </ToneChip>
  ) : (
    <ToneChip tone="faulted">
      <X size={11} aria-hidden /> Failed
    </ToneChip>
  )
}

function Summary(props: { readonly cases: readonly TestCase[]; readonly verdicts: ReadonlyMap<string, Verdict> }) {
  const ended = props.cases
    .flatMap(({ name }) => props.verdicts.get(name) ?? [])
    .filter((each) => each.status !== 'running')
  if (ended.length === 0) return null
  const passed = ended.filter(({ status }) => status === 'passed').length
  return (
    <span className="small muted" data-testid="test-cases-summary">
      {passed} of {ended.length} passed
    </span>
  )
}
