import { ActionIcon, Tooltip } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { Check, Circle, X } from 'lucide-react'
import { Card } from '../../ui/page.tsx'
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
  retry: {
    title: 'Let something fail, and retry it',
    text: 'A step that fails for good becomes an incident. Mend the cause and retry.',
    to: '/incidents',
    link: 'Incidents',
  },
  lock: {
    title: 'Take a lock',
    text: 'A step with a lock, or lockstep lock, shows its holder and its fence.',
    to: '/locks',
    link: 'Locks',
  },
  node: {
    title: 'Kill a node',
    text: 'The others notice within seconds and go on with its work. Nothing is lost.',
    to: '/cluster',
    link: 'Cluster',
  },
}

/** The first steps. Each is ticked by what happens, wherever it was done. */
export function TourCard() {
  const { done, dismissed, dismiss } = useTour()
  const { severalNodes } = useTourFacts(!dismissed)
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
          const { title, text, to, link } = texts[step]
          const ticked = done.includes(step)
          return (
            <li key={step} data-step-name={step} data-done={ticked}>
              {ticked ? <Check size={16} aria-label="Done" /> : <Circle size={16} aria-label="Not done yet" />}
              <div>
                <strong>{title}</strong>
                <p className="muted small">{text}</p>
                {!ticked && (
                  <Link to={to} className="link small">
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
