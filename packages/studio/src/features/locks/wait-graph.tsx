import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CircleCheck, LockKeyhole, TriangleAlert, Users, Workflow } from 'lucide-react'
import { useUrlSearch } from '../../app/use-url-search.ts'
import { usePollMs } from '../../live/live-state.ts'
import { Area, Empty } from '../../ui/area.tsx'
import { Card } from '../../ui/page.tsx'
import { contentionQuery, type LockContention } from './contention-query.ts'
import { partyWords } from './party-words.ts'
import classes from './wait-graph.module.css'
import { BOX, type Box, type WaitPicture, waitPicture } from './wait-picture.ts'

/** Who waits for whom, over the locks between them; circles stand out. */
export function WaitGraph() {
  const query = useQuery({ ...contentionQuery(), refetchInterval: usePollMs(2_000, 2_000) })
  return (
    <Card title="Who waits for whom" aside={<Legend />} flush>
      <Area
        name="wait-graph"
        query={query}
        rows={4}
        isEmpty={({ graph }) => (graph?.waits.length ?? 0) === 0}
        empty={
          <Empty icon={<CircleCheck size={22} />} title="Nobody waits for a lock">
            Instances and tasks that wait are drawn here, with the locks that they wait for and whoever holds those.
          </Empty>
        }
      >
        {(contention) => <Waits contention={contention} />}
      </Area>
    </Card>
  )
}

function Waits({ contention }: { readonly contention: LockContention }) {
  const picture = waitPicture(contention)
  return (
    <>
      <Picture picture={picture} />
      <Left locks={picture.leftLocks} waits={contention.graph.left} />
    </>
  )
}

const Legend = () => (
  <span className={`${classes.legend} small muted`} aria-hidden>
    <i data-kind="waits" /> waits for <i data-kind="held" /> is held by
  </span>
)

function Picture({ picture }: { readonly picture: WaitPicture }) {
  return (
    // Wide where many wait for each other: it is moved by the keyboard as well.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a place that scrolls
    <section className={classes.scroll} tabIndex={0} aria-label="Who waits for whom">
      <div className={classes.picture} style={{ width: picture.width, height: picture.height }}>
        <svg width={picture.width} height={picture.height} aria-hidden="true">
          <defs>
            {['plain', 'circle'].map((look) => (
              <marker
                key={look}
                id={`wait-tip-${look}`}
                className={classes.tip}
                data-look={look}
                {...{ viewBox: '0 0 8 8', refX: 4, refY: 4, markerWidth: 8, markerHeight: 8 }}
                markerUnits="userSpaceOnUse"
                orient="auto"
              >
                <path d="M 0 0 L 8 4 L 0 8 z" />
              </marker>
            ))}
          </defs>
          {[...picture.arrows]
            .sort((a, b) => Number(a.isInCircle) - Number(b.isInCircle))
            .map(({ id, kind, path, isInCircle }) => (
              <path
                key={id}
                className={classes.arrow}
                d={path}
                data-kind={kind}
                data-circle={isInCircle}
                markerEnd={`url(#wait-tip-${isInCircle ? 'circle' : 'plain'})`}
              />
            ))}
        </svg>
        <ul data-testid="wait-graph">
          {picture.boxes.map((box) => (
            <li
              key={box.id}
              className={classes.box}
              style={{ left: box.x, top: box.y, width: BOX.width, height: BOX.height }}
              data-box={box.id}
              data-kind={box.kind}
              data-circle={box.isInCircle}
            >
              <Inside box={box} />
            </li>
          ))}
        </ul>
      </div>
    </section>
  )
}

function Inside({ box }: { readonly box: Box }) {
  const [, change] = useUrlSearch()
  const mark = box.isInCircle && <TriangleAlert size={14} className={classes.alarm} aria-label="In a circle" />
  if (box.kind === 'crowd')
    return (
      <span>
        <Users size={14} aria-hidden />
        <span className={classes.words}>
          <strong>{box.count.toLocaleString('en')} more</strong>
          <span className="visually-hidden">wait for {box.key}</span>
        </span>
      </span>
    )
  if (box.kind === 'lock')
    return (
      <button type="button" onClick={() => change({ lock: box.key }, true)} title={box.key}>
        <LockKeyhole size={14} aria-hidden />
        <span className={classes.words}>
          <strong className="mono clip">{box.key}</strong>
        </span>
        {mark}
      </button>
    )
  const { name, note } = partyWords(box.party, box.holds.length > 0)
  const words = (
    <>
      <Workflow size={14} aria-hidden />
      <span className={classes.words}>
        <strong className="clip">{name}</strong>
        <span className="clip small muted">{note}</span>
        <span className="visually-hidden">
          {box.waitsFor.length > 0 && `waits for ${box.waitsFor.join(', ')}. `}
          {box.holds.length > 0 && `holds ${box.holds.join(', ')}.`}
        </span>
      </span>
      {mark}
    </>
  )
  const { instanceId } = box.party
  return instanceId === null ? (
    <span>{words}</span>
  ) : (
    <Link to="/instances/$instanceId" params={{ instanceId }} title={`${name} ${instanceId}`}>
      {words}
    </Link>
  )
}

function Left({ locks, waits }: { readonly locks: number; readonly waits: number }) {
  if (locks + waits === 0) return null
  const said = [
    locks > 0 ? `${locks} ${locks === 1 ? 'lock' : 'locks'} that fewer wait for` : '',
    waits > 0 ? `${waits.toLocaleString('en')} who have waited for a shorter time` : '',
  ].filter(Boolean)
  return <p className={`${classes.left} small muted`}>Not drawn: {said.join(', and ')}.</p>
}
