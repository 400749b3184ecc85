import { JsonInput } from '@mantine/core'
import { useMemo } from 'react'
import type { Json } from '../designer/model/json.ts'
import { formOf } from './form-of.ts'
import classes from './schema-form.module.css'
import { SchemaForm } from './schema-form.tsx'

interface ValueEditorProps {
  readonly label: string
  readonly schema: unknown
  /** JSON, or what is on its way to become some. */
  readonly text: string
  readonly onChange: (text: string) => void
}

/** A value, as a form where a schema describes it, and as JSON beside that: what is changed in one is changed in the other. */
export function ValueEditor({ label, schema, text, onChange }: ValueEditorProps) {
  const form = useMemo(() => formOf(schema), [schema])
  const value = jsonIn(text)
  const both = form.fields.length > 0
  return (
    <div className={classes.editor} data-form={both}>
      {both && (
        <fieldset disabled={value === undefined}>
          <legend>{label}</legend>
          <SchemaForm form={form} value={value} onChange={(next) => onChange(jsonText(next))} />
        </fieldset>
      )}
      {/* Not formatted when it is left: a button that moves away under the pointer is not clicked. */}
      <JsonInput
        label={both ? 'The same as JSON' : label}
        {...(both ? {} : { description: 'JSON' })}
        autosize
        minRows={4}
        maxRows={16}
        validationError="This is not JSON"
        value={text}
        onChange={onChange}
        styles={{ input: { fontFamily: 'var(--mono)', fontSize: 12.5 } }}
      />
    </div>
  )
}

export const jsonText = (value: unknown): string => JSON.stringify(value, undefined, 2)

/** `undefined`: it is no JSON. */
export function jsonIn(text: string): Json | undefined {
  try {
    return JSON.parse(text || 'null') as Json
  } catch {
    return undefined
  }
}
