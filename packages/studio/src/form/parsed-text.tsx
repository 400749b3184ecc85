import { Textarea, TextInput } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import type { Json } from '../designer/model/json.ts'

export interface ParsedTextProps {
  readonly id: string
  readonly value: Json | undefined
  readonly onChange: (value: Json | undefined) => void
  /** `any`: a text that is no JSON is that text. */
  readonly kind: 'json' | 'any' | 'number' | 'number-or-text'
  readonly readOnly?: boolean
  readonly required?: boolean
  /** Texts that are no values yet, by id: kept by whoever shows the field again. */
  readonly unfinished?: Map<string, string>
  readonly label?: string
  readonly description?: string | undefined
  readonly placeholder?: string | undefined
  readonly error?: React.ReactNode
  readonly 'aria-label'?: string
  readonly first?: boolean
}

/** A text that stands for a value. While it is none, the value stays, the text is remembered, and a form around it is not sent. */
export function ParsedText({ id, value, onChange, kind, unfinished, error, first, ...props }: ParsedTextProps) {
  const shown = write(value, kind)
  const [text, setText] = useState(() => unfinished?.get(id) ?? shown)
  const parsed = read(text, kind)
  const wrong = parsed.status === 'wrong'
  useEffect(() => {
    if (wrong) unfinished?.set(id, text)
    else unfinished?.delete(id)
  }, [wrong, text, id, unfinished])
  const box = useRef<HTMLInputElement & HTMLTextAreaElement>(null)
  const fault = !wrong
    ? undefined
    : kind === 'json'
      ? 'This is not JSON yet: it is not saved'
      : 'This is not a number yet'
  useEffect(() => box.current?.setCustomValidity(fault ?? ''), [fault])
  // What came from elsewhere (undo, another person) goes before what says the same in other words.
  const [seen, setSeen] = useState(shown)
  if (shown !== seen) {
    setSeen(shown)
    if (parsed.status === 'wrong' || JSON.stringify(parsed.value) !== JSON.stringify(value)) setText(shown)
  }
  const change = (next: string): void => {
    setText(next)
    const found = read(next, kind)
    if (found.status === 'read') onChange(found.value)
  }
  const common = {
    ...Object.fromEntries(Object.entries(props).filter(([, each]) => each !== undefined)),
    id,
    size: 'xs' as const,
    value: text,
    ref: box,
    spellCheck: false,
    error: fault ?? error,
    ...(first === true ? { 'data-first-field': true } : {}),
  }
  if (kind !== 'json' && kind !== 'any')
    return <TextInput {...common} onChange={(event) => change(event.currentTarget.value)} />
  return (
    <Textarea
      {...common}
      autosize
      minRows={1}
      maxRows={14}
      {...(typeof value === 'string' ? {} : { styles: { input: { fontFamily: 'var(--mono)', fontSize: 12.5 } } })}
      onChange={(event) => change(event.currentTarget.value)}
    />
  )
}

type Read = { readonly status: 'read'; readonly value: Json | undefined } | { readonly status: 'wrong' }

function read(text: string, kind: ParsedTextProps['kind']): Read {
  if (text.trim() === '') return { status: 'read', value: undefined }
  if (kind === 'number' || kind === 'number-or-text') {
    const number = Number(text)
    if (Number.isFinite(number)) return { status: 'read', value: number }
    return kind === 'number' ? { status: 'wrong' } : { status: 'read', value: text }
  }
  try {
    return { status: 'read', value: JSON.parse(text) as Json }
  } catch {
    return kind === 'any' ? { status: 'read', value: text } : { status: 'wrong' }
  }
}

function write(value: Json | undefined, kind: ParsedTextProps['kind']): string {
  if (value === undefined) return ''
  if (kind === 'any' && typeof value === 'string') return readsAsItself(value) ? value : JSON.stringify(value)
  if (kind !== 'json' && typeof value !== 'object') return String(value)
  return JSON.stringify(value, undefined, typeof value === 'object' ? 2 : undefined)
}

/** A text that would be read as something else, such as `7`, is shown in quotes. */
function readsAsItself(text: string): boolean {
  try {
    JSON.parse(text)
    return false
  } catch {
    return text.trim() !== ''
  }
}
