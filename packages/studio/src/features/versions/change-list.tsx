import { Tooltip } from '@mantine/core'
import { ArrowRightLeft, type LucideIcon, Minus, Move, PencilLine, Plus, Tag, TriangleAlert } from 'lucide-react'
import { ToneChip } from '../../ui/status.tsx'
import type { ChangeLine, LineKind } from './change-lines.ts'
import classes from './change-list.module.css'
import type { FieldChange } from './diff.ts'

const kinds: Readonly<Record<LineKind, { readonly label: string; readonly icon: LucideIcon; readonly tone: string }>> =
  {
    added: { label: 'Added', icon: Plus, tone: 'completed' },
    removed: { label: 'Removed', icon: Minus, tone: 'faulted' },
    changed: { label: 'Changed', icon: PencilLine, tone: 'retrying' },
    rewired: { label: 'Rewired', icon: ArrowRightLeft, tone: 'running' },
    renamed: { label: 'New id', icon: Tag, tone: 'paused' },
    moved: { label: 'Moved', icon: Move, tone: 'queued' },
  }

export function ChangeList(props: {
  readonly lines: readonly ChangeLine[]
  /** Keys of lines that somebody should look at again. */
  readonly fresh?: ReadonlySet<string>
  readonly selected?: string | undefined
  readonly onSelect?: (step: string | undefined) => void
}) {
  if (props.lines.length === 0) return <p className="muted">Nothing differs in meaning.</p>
  return (
    <ul className={classes.list} data-testid="changes">
      {props.lines.map((line) => (
        <li
          key={line.key}
          data-change={line.kind}
          data-selected={line.step !== undefined && line.step === props.selected}
        >
          <Line line={line} fresh={props.fresh?.has(line.key) === true} onSelect={props.onSelect} />
        </li>
      ))}
    </ul>
  )
}

function Line(props: {
  readonly line: ChangeLine
  readonly fresh: boolean
  readonly onSelect: ((step: string | undefined) => void) | undefined
}) {
  const { line, onSelect } = props
  const { label, icon: Icon, tone } = kinds[line.kind]
  const text = (
    <>
      <strong>{line.title}</strong>
      {line.detail !== undefined && <span className="muted"> {line.detail}</span>}
    </>
  )
  return (
    <>
      <div className={classes.line}>
        <ToneChip tone={tone}>
          <Icon size={11} aria-hidden /> {label}
        </ToneChip>
        {line.step === undefined || onSelect === undefined ? (
          <span className={classes.text}>{text}</span>
        ) : (
          <button type="button" className={classes.text} onClick={() => onSelect(line.step)}>
            {text}
          </button>
        )}
        {props.fresh && <ToneChip tone="suspended">New</ToneChip>}
        {line.migration !== 'safe' && (
          <Tooltip label={line.reason} multiline maw={320}>
            <span className={classes.care} data-verdict={line.migration}>
              <TriangleAlert size={12} aria-hidden />
              {line.migration === 'breaks' ? 'Breaks running ones' : 'Needs care'}
            </span>
          </Tooltip>
        )}
      </div>
      {line.fields !== undefined && line.fields.length > 0 && <Fields fields={line.fields} />}
    </>
  )
}

const MOST = 12

function Fields({ fields }: { readonly fields: readonly FieldChange[] }) {
  return (
    <dl className={classes.fields}>
      {fields.slice(0, MOST).map(({ pointer, before, after }) => (
        <div key={pointer}>
          <dt>{pointer.slice(1).replaceAll('/', ' › ') || 'value'}</dt>
          <dd>
            {before !== undefined && <del>{shown(before)}</del>}
            {after !== undefined && <ins>{shown(after)}</ins>}
          </dd>
        </div>
      ))}
      {fields.length > MOST && <div className="muted">and {fields.length - MOST} more</div>}
    </dl>
  )
}

function shown(value: unknown): string {
  const expression = (value as { readonly $expr?: unknown } | null)?.$expr
  const text =
    typeof expression === 'string' ? `= ${expression}` : typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > 160 ? `${text.slice(0, 159)}…` : text
}
