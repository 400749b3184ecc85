import { useEffect } from 'react'
import classes from './page.module.css'

/** Heading, what can be done, and the contents. */
export function Page(props: {
  readonly title: string
  readonly lead?: React.ReactNode
  readonly actions?: React.ReactNode
  readonly children: React.ReactNode
}) {
  const { title } = props
  useEffect(() => {
    document.title = `${title} · Lockstep`
  }, [title])
  return (
    <div className={classes.page}>
      <header className={classes.head}>
        <div className={classes.titles}>
          <h1>{title}</h1>
          {props.lead !== undefined && <div className="muted">{props.lead}</div>}
        </div>
        {props.actions !== undefined && <div className={classes.actions}>{props.actions}</div>}
      </header>
      {props.children}
    </div>
  )
}

export function Card(props: {
  readonly title?: React.ReactNode
  readonly aside?: React.ReactNode
  readonly flush?: boolean
  readonly children: React.ReactNode
}) {
  return (
    <section className={classes.card}>
      {props.title !== undefined && (
        <div className={classes.cardHead}>
          <h2>{props.title}</h2>
          {props.aside}
        </div>
      )}
      <div className={props.flush ? undefined : classes.cardBody}>{props.children}</div>
    </section>
  )
}

/** Names and values, two columns. */
export function Facts({ items }: { readonly items: readonly (readonly [string, React.ReactNode])[] }) {
  return (
    <dl className={classes.facts}>
      {items.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
