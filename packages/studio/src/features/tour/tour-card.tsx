import { ActionIcon, Tooltip } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { Check, Circle, X } from 'lucide-react'
import { Card } from '../../ui/page.tsx'
import { useMay } from '../../ui/use-may.ts'
import classes from './tour.module.css'
import { type TourStep, tourSteps, useTour } from './tour-state.ts'
import { useTourFacts } from './use-tour-facts.ts'

interface StepText {
  readonly title: string
  readonly text: string
  readonly to: string
  readonly search?: Readonly<Record<string, string>>
  readonly link: string
}

const TAKEN_OVER = 'The others notice within seconds and go on with its work. Nothing is lost.'
/** Where it can be done from here, by who is here. */
const KILL_HERE = `Press Kill at one of them. ${TAKEN_OVER}`

const texts: Readonly<Record<TourStep, StepText>> = {
  run: {
    title: 'Run something',
    text: 'Start any workflow. This ticks itself when one has completed.',
    to: '/definitions',
    link: 'Workflows',
  },
  watch: {
    title: 'Watch it',
    text: 'Open an instance: its graph, its timeline, and a slider that leads back in time.',
    to: '/instances',
    link: 'Instances',
  },
  approve: {
    title: 'Decide something',
    text: 'A workflow asks a person and waits for the answer. The sample Approval does so every minute.',
    to: '/queues',
    search: { tab: 'people' },
    link: 'For people',
  },
  publish: {
    title: 'Change a workflow, and publish it',
    text: 'Draw a step more, and publish: what runs goes on as it began, what starts next is the new version.',
    to: '/definitions',
    link: 'Workflows',
  },
  retry: {
    title: 'Let something fail, and retry it',
    text: 'A step that fails for good becomes an incident. Mend the cause and retry.',
    to: '/incidents',
    link: 'Incidents',
  },
  travel: {
    title: 'Travel in time',
    text: 'Pull the slider of an instance back: graph, variables and journal show how it was then.',
    to: '/instances',
    link: 'Instances',
  },
  lock: {
    title: 'Take a lock',
    text: 'A step with a lock, or lockstep lock, shows its holder and its fence.',
    to: '/locks',
    link: 'Locks',
  },
  node: {
    title: 'Kill a node',
    text: `In the terminal of lockstep cluster dev the key k does it, elsewhere kill -9 of its process. ${TAKEN_OVER}`,
    to: '/cluster',
    link: 'Cluster',
  },
}

/** The first steps. Each is ticked by what happens, wherever it was done. */
export function TourCard() {
  const { done, dismissed, dismiss } = useTour()
  const { severalNodes, devCluster } = useTourFacts(!dismissed)
  const { allowed } = useMay('cluster:operate')
  const shown = tourSteps.filter((step) => step !== 'node' || severalNodes || done.includes('node'))
  if (dismissed || shown.every((step) => done.includes(step))) return null
  return (
    <Card
      title={`First steps · ${shown.filter((step) => done.includes(step)).length} of ${shown.length}`}
      aside={
        <Tooltip label="Do not show this again">
          <ActionIcon variant="subtle" color="gray" size={26} aria-label="Close the first steps" onClick={dismiss}>
            <X size={15} />
          </ActionIcon>
        </Tooltip>
      }
    >
      <ol className={classes.steps} data-testid="tour">
        {shown.map((step) => {
          const { title, text, to, link, search = {} } = texts[step]
          const ticked = done.includes(step)
          return (
            <li key={step} data-step-name={step} data-done={ticked}>
              {ticked ? <Check size={16} aria-label="Done" /> : <Circle size={16} aria-label="Not done yet" />}
              <div>
                <strong>{title}</strong>
                <p className="muted small">{step === 'node' && devCluster && allowed ? KILL_HERE : text}</p>
                {!ticked && (
                  <Link to={to} search={search as never} className="link small">
                    {link}
                  </Link>
                )}
              </div>
            </li>
          )
        })}
      </ol>
    </Card>
  )
}
