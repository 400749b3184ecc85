import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { Compass } from 'lucide-react'
import { Empty } from './area.tsx'

/** There is nothing by this id, or no longer. */
export function Missing(props: {
  readonly title: string
  readonly children: React.ReactNode
  /** The list it would be in. */
  readonly list: { readonly to: string; readonly label: string }
}) {
  return (
    <Empty
      icon={<Compass size={22} />}
      title={props.title}
      action={
        <Button component={Link} to={props.list.to} variant="default" size="xs">
          {props.list.label}
        </Button>
      }
    >
      {props.children}
    </Empty>
  )
}
