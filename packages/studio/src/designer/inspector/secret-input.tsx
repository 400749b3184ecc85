import { ActionIcon, Autocomplete, Menu, TextInput, Tooltip } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { KeyRound } from 'lucide-react'
import { useState } from 'react'
import { toProblem } from '../../api/problem.ts'
import type { Json } from '../model/index.ts'
import classes from './inspector.module.css'
import { secretNamesQuery } from './secret-names-query.ts'
import { type SecretValue, toSecret } from './secret-value.ts'

interface NameProps {
  readonly id: string
  readonly label: string
  readonly name: string
  readonly set: (name: string) => void
  readonly error: string | undefined
  readonly readOnly: boolean
  readonly first: boolean
}

/** A name from the list, or one that only the nodes know. Values are shown nowhere. */
export function SecretName({ id, label, name, set, error, readOnly, first }: NameProps) {
  const { data, error: fault } = useQuery(secretNamesQuery())
  return (
    <>
      <Autocomplete
        id={id}
        size="xs"
        aria-label={`${label}: name of a secret`}
        placeholder="Name of a secret"
        leftSection={<KeyRound size={13} aria-hidden />}
        leftSectionWidth={26}
        readOnly={readOnly}
        error={error}
        data={[...(data ?? [])]}
        limit={50}
        value={name}
        onChange={set}
        comboboxProps={{ withinPortal: true }}
        {...(first ? { 'data-first-field': true } : {})}
      />
      {fault !== null && <p className={`small muted ${classes.about}`}>No list of names: {toProblem(fault).title}.</p>}
      {data?.length === 0 && (
        <p className={`small muted ${classes.about}`}>
          No secrets yet: admins set them in{' '}
          <Link className="link" to="/settings" search={{ tab: 'secrets' } as never}>
            Settings
          </Link>
          .
        </p>
      )}
    </>
  )
}

/** A secret in the place of a text. */
export function SecretInput(
  props: Omit<NameProps, 'name' | 'set'> & {
    readonly value: SecretValue
    readonly set: (value: Json) => void
  },
) {
  const { value, set, ...rest } = props
  return (
    <div className={classes.secret}>
      <SecretName {...rest} name={value.name} set={(name) => set(toSecret({ ...value, name }))} />
      <TextInput
        size="xs"
        aria-label={`${props.label}: before the value`}
        placeholder="Before the value, such as Bearer and a space"
        readOnly={props.readOnly}
        maxLength={100}
        value={value.prefix}
        onChange={(event) => set(toSecret({ ...value, prefix: event.currentTarget.value }))}
      />
    </div>
  )
}

/** Puts a secret into an object: which one is chosen from the list. */
export function SecretMenu(props: { readonly label: string; readonly pick: (name: string) => void }) {
  const [opened, open] = useState(false)
  const { data, error } = useQuery({ ...secretNamesQuery(), enabled: opened })
  return (
    <Menu withinPortal position="bottom-end" opened={opened} onChange={open}>
      <Menu.Target>
        <Tooltip label="Put a secret in">
          <ActionIcon size={24} variant="subtle" color="gray" aria-label={`${props.label}: put a secret in`}>
            <KeyRound size={14} />
          </ActionIcon>
        </Tooltip>
      </Menu.Target>
      <Menu.Dropdown className={classes.secretMenu}>
        {error !== null && <Menu.Label>{toProblem(error).title}</Menu.Label>}
        {data?.length === 0 && <Menu.Label>No secrets yet: Settings, Secrets</Menu.Label>}
        {data?.map((name) => (
          <Menu.Item key={name} onClick={() => props.pick(name)}>
            {name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
