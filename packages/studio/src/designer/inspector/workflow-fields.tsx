import { ActionIcon, Button, NativeSelect, TagsInput, Textarea, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { definitionsQuery } from '../../api/queries.ts'
import { type Json, setMember, setVariable } from '../model/index.ts'
import { isObject } from '../model/json.ts'
import { useDesigner, useView } from '../state/designer-state.ts'
import classes from './inspector.module.css'
import { ParsedField } from './parsed-field.tsx'

/** What belongs to no step: shown while nothing is selected. */
export function WorkflowFields() {
  const { design, readOnly } = useDesigner()
  const { members } = useView()
  const text = (name: string): string => (typeof members[name] === 'string' ? (members[name] as string) : '')
  const off = readOnly !== undefined
  return (
    <div className={classes.scroll}>
      <div className={classes.fields}>
        <TextInput
          size="xs"
          label="Name"
          readOnly={off}
          value={text('name')}
          data-first-field
          onChange={(event) => setMember(design, 'name', event.currentTarget.value || undefined)}
        />
        <Textarea
          size="xs"
          label="Description"
          autosize
          minRows={2}
          maxRows={8}
          readOnly={off}
          value={text('description')}
          onChange={(event) => setMember(design, 'description', event.currentTarget.value || undefined)}
        />
        <Tags off={off} />
        <Variables off={off} />
        {(['input', 'output', 'flow'] as const).map((name) => (
          <ParsedField
            key={name}
            id={`workflow-${name}`}
            kind="json"
            label={{ input: 'Input schema', output: 'Output schema', flow: 'Flow of starts' }[name]}
            description={
              {
                input: 'JSON schema. An input that does not fit is refused at the start.',
                output: 'JSON schema, for readers.',
                flow: 'How starts are held back: singleton, concurrency, rate and others.',
              }[name]
            }
            readOnly={off}
            value={members[name]}
            onChange={(value) => setMember(design, name, value)}
          />
        ))}
      </div>
    </div>
  )
}

/** As the server takes them. */
const TAG = /^[A-Za-z0-9_.:/-]{1,40}$/
const MOST_TAGS = 20

/** What the list of workflows is sorted into: a slash makes a folder in a folder. */
function Tags({ off }: { readonly off: boolean }) {
  const { design } = useDesigner()
  const { members } = useView()
  const { data } = useQuery(definitionsQuery({ limit: 200 }))
  const [fault, setFault] = useState<string>()
  const tags = Array.isArray(members.tags) ? members.tags.filter((tag) => typeof tag === 'string') : []
  const known = [...new Set(data?.items.flatMap((item) => item.tags ?? []))].sort()
  return (
    <TagsInput
      size="xs"
      label="Tags"
      description="Folders in the list of workflows, such as sales/eu"
      placeholder={tags.length === 0 && !off ? 'Type one and press Enter' : ''}
      readOnly={off}
      data={known}
      maxTags={MOST_TAGS}
      value={[...tags]}
      error={fault}
      comboboxProps={{ shadow: 'md' }}
      onChange={(next) => {
        const wrong = next.find((tag) => !TAG.test(tag))
        setFault(wrong && `“${wrong}” is no tag: at most 40 letters, digits and - _ . : /`)
        const right = next.filter((tag) => TAG.test(tag))
        setMember(design, 'tags', right.length === 0 ? undefined : right)
      }}
    />
  )
}

const TYPES = ['any', 'string', 'number', 'integer', 'boolean', 'object', 'array']

function Variables({ off }: { readonly off: boolean }) {
  const { design } = useDesigner()
  const { variables } = useView()
  const [name, setName] = useState('')
  const fits = /^[A-Za-z][A-Za-z0-9_]{0,63}$/.test(name) && !Object.hasOwn(variables, name)
  const add = (): void => {
    if (!fits) return
    setVariable(design, name, { type: 'any' })
    setName('')
  }
  return (
    <section className={classes.bodies} aria-label="Variables">
      <h3>Variables</h3>
      {Object.entries(variables).map(([each, value]) => (
        <Variable key={each} name={each} value={value} off={off} />
      ))}
      {!off && (
        <form
          className={classes.bodyRow}
          onSubmit={(event) => {
            event.preventDefault()
            add()
          }}
        >
          <TextInput
            size="xs"
            aria-label="Name of a new variable"
            placeholder="name"
            value={name}
            error={name !== '' && !fits}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <Button size="xs" type="submit" variant="default" leftSection={<Plus size={12} />} disabled={!fits}>
            Add
          </Button>
        </form>
      )}
    </section>
  )
}

function Variable(props: { readonly name: string; readonly value: Json; readonly off: boolean }) {
  const { name, off } = props
  const { design } = useDesigner()
  const value = isObject(props.value) ? props.value : {}
  const set = (member: string, next: Json | undefined): void => {
    const { [member]: _, ...rest } = value
    setVariable(design, name, next === undefined ? rest : { ...rest, [member]: next })
  }
  return (
    <div className={classes.variable}>
      <span className="mono clip" title={name}>
        {name}
      </span>
      <NativeSelect
        size="xs"
        aria-label={`Type of ${name}`}
        disabled={off}
        data={TYPES}
        value={typeof value.type === 'string' ? value.type : 'any'}
        onChange={(event) => set('type', event.currentTarget.value)}
      />
      <ParsedField
        id={`variable-${name}`}
        kind="json"
        aria-label={`Default of ${name}`}
        placeholder="null"
        readOnly={off}
        value={value.default}
        onChange={(next) => set('default', next)}
      />
      {!off && (
        <ActionIcon
          size={26}
          variant="subtle"
          color="gray"
          aria-label={`Remove ${name}`}
          onClick={() => setVariable(design, name, undefined)}
        >
          <Trash2 size={13} />
        </ActionIcon>
      )}
    </div>
  )
}
