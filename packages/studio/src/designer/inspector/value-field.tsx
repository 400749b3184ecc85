import { ActionIcon, NativeSelect, Textarea, TextInput, Tooltip } from '@mantine/core'
import { KeyRound, SquareFunction } from 'lucide-react'
import { Suspense, useRef, useState } from 'react'
import { hostOffset } from '../../browser/zone.ts'
import { REFERENCE, withReference } from '../../editor/with-reference.ts'
import { type Json, type PlacedProblem, type Step, setInput } from '../model/index.ts'
import { slots } from '../slots.ts'
import { useDesigner } from '../state/designer-state.ts'
import { expressionIn, type Field, toExpression, toLiteral } from './field-kind.ts'
import classes from './inspector.module.css'
import { toLocal } from './moment-field.ts'
import { MomentInput } from './moment-input.tsx'
import { ParsedField } from './parsed-field.tsx'
import { SecretInput, SecretMenu, SecretName } from './secret-input.tsx'
import { secretIn, toSecret, withSecret } from './secret-value.ts'

interface ValueFieldProps {
  readonly step: Step
  readonly field: Field
  readonly problems: readonly PlacedProblem[]
  readonly first: boolean
}

/** One input of a step: a literal of its kind, or an expression. */
export function ValueField({ step, field, problems, first }: ValueFieldProps) {
  const { design, readOnly } = useDesigner()
  const value = step.inputs[field.name]
  const expression = expressionIn(value)
  const secret = field.secret === 'text' ? secretIn(value) : undefined
  const id = `input-${step.key}-${field.name}`
  const set = (next: Json | undefined): void => setInput(design, step.key, field.name, next)
  const toggle = (): void => {
    if (expression === undefined) set(toExpression(value))
    else set(toLiteral(expression))
    requestAnimationFrame(() => document.getElementById(id)?.focus())
  }
  const [dropping, setDropping] = useState(false)
  const takes = !field.literal && readOnly === undefined
  const error = problems[0]?.text
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: what is dropped can be picked by keyboard too
    <div
      className={classes.field}
      data-input={field.name}
      data-faulty={error !== undefined}
      data-dropping={dropping}
      onDragOver={(event) => {
        if (!takes || !event.dataTransfer.types.includes(REFERENCE)) return
        event.preventDefault()
        event.dataTransfer.dropEffect = 'copy'
        setDropping(true)
      }}
      onDragLeave={() => setDropping(false)}
      onDropCapture={(event) => {
        setDropping(false)
        const path = event.dataTransfer.getData(REFERENCE)
        // The editor of an expression puts it where the pointer is.
        if (!takes || path === '' || (event.target as Element).closest('.cm-content') !== null) return
        event.preventDefault()
        set(withReference(value, path))
        requestAnimationFrame(() => document.getElementById(id)?.focus())
      }}
    >
      <div className={classes.fieldHead}>
        <label htmlFor={id}>
          {field.name}
          {field.required && <span className={classes.required}> required</span>}
        </label>
        <span className={classes.fieldTools}>
          {readOnly === undefined && field.secret === 'text' && (
            <Tooltip label={secret === undefined ? 'Use a secret' : 'Write a plain value'}>
              <ActionIcon
                size={24}
                variant={secret === undefined ? 'subtle' : 'light'}
                color={secret === undefined ? 'gray' : 'brand'}
                aria-label={`${field.name}: secret`}
                aria-pressed={secret !== undefined}
                onClick={() => {
                  set(secret === undefined ? toSecret({ name: '', prefix: '' }) : undefined)
                  requestAnimationFrame(() => document.getElementById(id)?.focus())
                }}
              >
                <KeyRound size={14} />
              </ActionIcon>
            </Tooltip>
          )}
          {readOnly === undefined && field.secret === 'member' && expression === undefined && (
            <SecretMenu label={field.name} pick={(name) => set(withSecret(field.name, value, name))} />
          )}
          {!field.literal && readOnly === undefined && (
            <Tooltip label={expression === undefined ? 'Write an expression' : 'Write a plain value'}>
              <ActionIcon
                size={24}
                variant={expression === undefined ? 'subtle' : 'light'}
                color={expression === undefined ? 'gray' : 'brand'}
                aria-label={`${field.name}: expression`}
                aria-pressed={expression !== undefined}
                onClick={toggle}
              >
                <SquareFunction size={14} />
              </ActionIcon>
            </Tooltip>
          )}
        </span>
      </div>
      {secret !== undefined ? (
        <SecretInput
          {...{ id, set, error, first, label: field.name, value: secret, readOnly: readOnly !== undefined }}
        />
      ) : expression === undefined ? (
        <Literal {...{ id, field, value, set, error, first, readOnly: readOnly !== undefined }} />
      ) : (
        <Expression {...{ id, step, field, error, first, value: expression, set, readOnly: readOnly !== undefined }} />
      )}
      {field.description !== undefined && <p className={`small muted ${classes.about}`}>{field.description}</p>}
    </div>
  )
}

interface LiteralProps {
  readonly id: string
  readonly field: Field
  readonly value: Json | undefined
  readonly set: (value: Json | undefined) => void
  readonly error: string | undefined
  readonly readOnly: boolean
  readonly first: boolean
}

function Literal({ id, field, value, set, error, readOnly, first }: LiteralProps) {
  const mark = first ? { 'data-first-field': true } : {}
  const hint = field.standard === undefined ? {} : { placeholder: `${JSON.stringify(field.standard)}` }
  const plain = value === undefined || typeof value !== 'object'
  if (field.kind === 'choice' && plain)
    return (
      <NativeSelect
        id={id}
        size="xs"
        disabled={readOnly}
        error={error}
        value={value === undefined ? '' : String(value)}
        data={[{ value: '', label: '–' }, ...field.choices]}
        onChange={(event) => set(event.currentTarget.value === '' ? undefined : event.currentTarget.value)}
        {...mark}
      />
    )
  if (field.kind === 'boolean' && plain)
    return (
      <NativeSelect
        id={id}
        size="xs"
        disabled={readOnly}
        error={error}
        value={value === undefined ? '' : String(value)}
        data={[
          { value: '', label: field.standard === undefined ? '–' : `– (${field.standard})` },
          { value: 'true', label: 'yes' },
          { value: 'false', label: 'no' },
        ]}
        onChange={(event) => set(event.currentTarget.value === '' ? undefined : event.currentTarget.value === 'true')}
        {...mark}
      />
    )
  if (field.kind === 'secret-name' && (value === undefined || typeof value === 'string'))
    return (
      <SecretName
        {...{ id, error, readOnly, first, label: field.name, name: value ?? '' }}
        set={(name) => set(name === '' ? undefined : name)}
      />
    )
  if ((field.kind === 'date' || field.kind === 'date-time') && isMoment(field.kind, value))
    return <MomentInput {...{ id, set, error, readOnly, first, value, kind: field.kind }} />
  if (['text', 'long-text', 'code'].includes(field.kind) && (value === undefined || typeof value === 'string')) {
    const change = (text: string): void => {
      if (text.startsWith('=') && field.kind !== 'code' && !field.literal) set({ $expr: text.slice(1) })
      else set(text === '' ? undefined : text)
    }
    const common = { id, size: 'xs' as const, readOnly, error, value: value ?? '', ...hint, ...mark }
    if (field.kind === 'text') return <TextInput {...common} onChange={(event) => change(event.currentTarget.value)} />
    return (
      <Textarea
        {...common}
        autosize
        minRows={field.kind === 'code' ? 5 : 1}
        maxRows={18}
        spellCheck={field.kind !== 'code'}
        {...(field.kind === 'code' ? { styles: { input: { fontFamily: 'var(--mono)', fontSize: 12.5 } } } : {})}
        onChange={(event) => change(event.currentTarget.value)}
      />
    )
  }
  const kind = field.kind === 'number' && plain ? 'number' : takesAny.includes(field.kind) ? 'any' : 'json'
  const typed = (next: Json | undefined): void => {
    const asks = takesAny.includes(field.kind) && !field.literal && typeof next === 'string' && next.startsWith('=')
    set(asks ? { $expr: next.slice(1) } : next)
  }
  return (
    <ParsedField
      id={id}
      kind={kind}
      value={value}
      onChange={typed}
      readOnly={readOnly}
      error={error}
      first={first}
      {...hint}
    />
  )
}

/** Kinds of fields in which anything can be typed, where it is not what their own input can show. */
const takesAny: readonly string[] = ['any', 'date', 'date-time']

/** Something that the picker can show: others, such as a number, are typed. */
const isMoment = (kind: 'date' | 'date-time', value: Json | undefined): value is string | undefined =>
  value === undefined ||
  (typeof value === 'string' && (kind === 'date' ? DAY.test(value) : toLocal(value, hostOffset) !== undefined))

const DAY = /^\d{4}-\d{2}-\d{2}$/

interface ExpressionProps extends Omit<LiteralProps, 'value'> {
  readonly step: Step
  readonly value: string
}

function Expression({ id, step, field, value, set, error, readOnly, first }: ExpressionProps) {
  const { definitionId, design } = useDesigner()
  const Editor = slots.ExpressionField
  const typing = useRef(false)
  const plain = (
    <Textarea
      id={id}
      size="xs"
      autosize
      minRows={1}
      maxRows={10}
      readOnly={readOnly}
      spellCheck={false}
      data-expression
      leftSection={<span className="muted">=</span>}
      leftSectionWidth={24}
      error={error}
      value={value}
      styles={{ input: { fontFamily: 'var(--mono)', fontSize: 12.5 } }}
      onChange={(event) => set({ $expr: event.currentTarget.value })}
      onFocus={() => {
        typing.current = true
      }}
      onBlur={() => {
        typing.current = false
      }}
      {...(first ? { 'data-first-field': true } : {})}
    />
  )
  if (Editor === undefined) return plain
  return (
    <Suspense fallback={plain}>
      <Editor
        id={id}
        label={field.name}
        value={value}
        onChange={(text) => set({ $expr: text })}
        readOnly={readOnly}
        problem={error}
        definitionId={definitionId}
        document={design.toGraph()}
        step={step.id}
        input={field.name}
        takesFocus={() => typing.current}
      />
    </Suspense>
  )
}
