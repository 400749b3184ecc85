import { Checkbox, NativeSelect, Textarea, TextInput } from '@mantine/core'
import { useId } from 'react'
import type { Field } from '../designer/inspector/field-kind.ts'
import type { Json } from '../designer/model/json.ts'
import { sentence } from '../ui/sentence.ts'
import { type Form, memberOf, withMember } from './form-of.ts'
import { ParsedText } from './parsed-text.tsx'
import classes from './schema-form.module.css'

interface SchemaFormProps {
  readonly form: Form
  readonly value: Json | undefined
  readonly onChange: (value: Json) => void
}

/** A field for each thing that a JSON schema asks for. */
export function SchemaForm({ form, value, onChange }: SchemaFormProps) {
  return (
    <div className={classes.form}>
      {form.fields.map((field) => (
        <FormField
          key={field.name}
          field={field}
          single={form.single}
          value={memberOf(form, value, field.name)}
          set={(member) => onChange(withMember(form, value, field.name, member))}
        />
      ))}
    </div>
  )
}

interface FormFieldProps {
  readonly field: Field
  readonly single: boolean
  readonly value: Json | undefined
  readonly set: (value: Json | undefined) => void
}

function FormField({ field, single, value, set }: FormFieldProps) {
  const id = useId()
  const label = field.title ?? (single ? 'Answer' : sentence(field.name))
  const common = {
    ...{ id, label, required: field.required, size: 'xs' as const },
    ...(field.description === undefined ? {} : { description: field.description }),
  }
  if (field.kind === 'boolean' && (value === undefined || typeof value === 'boolean'))
    return (
      <Checkbox
        {...common}
        // Unticked is an answer too.
        required={false}
        checked={value === true}
        onChange={(event) => set(event.currentTarget.checked)}
      />
    )
  if (field.kind === 'choice' && (value === undefined || typeof value === 'string'))
    return (
      <NativeSelect
        {...common}
        data={[{ value: '', label: '–' }, ...field.choices]}
        value={value ?? ''}
        onChange={(event) => set(event.currentTarget.value === '' ? undefined : event.currentTarget.value)}
      />
    )
  if ((field.kind === 'text' || field.kind === 'long-text') && (value === undefined || typeof value === 'string')) {
    const text = {
      ...common,
      value: value ?? '',
      onChange: (event: React.ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) =>
        set(event.currentTarget.value === '' ? undefined : event.currentTarget.value),
    }
    return field.kind === 'text' ? <TextInput {...text} /> : <Textarea {...text} autosize minRows={2} maxRows={10} />
  }
  const kind = field.kind === 'number' && (value === undefined || typeof value === 'number') ? 'number' : 'json'
  return <ParsedText {...common} kind={field.kind === 'any' ? 'any' : kind} value={value} onChange={set} />
}
