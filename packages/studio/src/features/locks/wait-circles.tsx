import { Link } from '@tanstack/react-router'
import { TriangleAlert } from 'lucide-react'
import { shortId } from '../../ui/time-text.ts'
import type { LockContention } from './contention-query.ts'
import { partyWords } from './party-words.ts'
import classes from './wait-graph.module.css'
import type { Party } from './wait-picture.ts'

/** Who waits in a circle, in words, with what helps. */
export function Circles({ contention }: { readonly contention: LockContention }) {
  const { deadlocks, graph } = contention
  return deadlocks.map((deadlock) => <Circle key={deadlock.finding} deadlock={deadlock} parties={graph.parties} />)
}

type Deadlock = LockContention['deadlocks'][number]

function Circle({ deadlock, parties }: { readonly deadlock: Deadlock; readonly parties: readonly Party[] }) {
  const isOfInstances = deadlock.circle.some(({ party }) =>
    parties.some((each) => each.id === party && each.instanceId),
  )
  return (
    <div className={classes.circle} role="alert" data-testid="wait-circle">
      <TriangleAlert size={16} aria-hidden />
      <div>
        <strong>
          {deadlock.certain
            ? 'They wait for each other, and none of them can go on.'
            : 'They wait for each other. It ends only if one of them makes room or gives up.'}
        </strong>{' '}
        {deadlock.circle.map(({ party, key }, place) => {
          const found = parties.find((each) => each.id === party)
          return (
            <span key={`${party} ${key}`}>
              {place > 0 && ', '}
              {found === undefined ? party : <PartyName party={found} />} waits for <span className="mono">{key}</span>
            </span>
          )
        })}
        .{' '}
        {isOfInstances
          ? 'Cancel one of the instances, and have workflows take their locks in one order.'
          : 'Release one of the locks, and take them in one order.'}{' '}
        <Link to="/locks" search={{ view: 'waits' } as never} className={classes.name}>
          See who waits for whom
        </Link>
      </div>
    </div>
  )
}

function PartyName({ party }: { readonly party: Party }) {
  const { name, note } = partyWords(party, true)
  const { instanceId } = party
  if (instanceId === null) return <>{name}</>
  return (
    <Link to="/instances/$instanceId" params={{ instanceId }} className={classes.name} title={note}>
      {name} {shortId(instanceId)}
    </Link>
  )
}
