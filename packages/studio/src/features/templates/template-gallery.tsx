import { Tooltip } from '@mantine/core'
import { FilePlus2 } from 'lucide-react'
import { useMay } from '../../ui/use-may.ts'
import type { Template } from './template.ts'
import { TemplatePreview } from './template-preview.tsx'
import classes from './templates.module.css'
import { templates } from './templates.ts'

interface GalleryProps {
  /** Says what they are for. */
  readonly label: string
  /** `undefined`: nothing is marked. */
  readonly chosen?: string | undefined
  /** The key of an empty drawing, where one may be chosen. */
  readonly blank?: string
  /** `undefined`: an empty drawing. */
  readonly choose: (template: Template | undefined) => void
}

/** Workflows to begin with. */
export function TemplateGallery({ label, chosen, blank, choose }: GalleryProps) {
  const marked = (key: string): boolean | undefined => (chosen === undefined ? undefined : chosen === key)
  return (
    <ul className={classes.gallery} aria-label={label} data-testid="templates">
      {blank !== undefined && (
        <TemplateCard
          title="Empty"
          about="Begin with nothing, and draw."
          pressed={marked(blank)}
          choose={() => choose(undefined)}
        >
          <FilePlus2 size={26} className={classes.blank} aria-hidden />
        </TemplateCard>
      )}
      {templates.map((template) => (
        <TemplateCard
          key={template.key}
          title={template.title}
          about={template.about}
          pressed={marked(template.key)}
          choose={() => choose(template)}
        >
          <TemplatePreview document={template.document} />
        </TemplateCard>
      ))}
    </ul>
  )
}

function TemplateCard(props: {
  readonly title: string
  readonly about: string
  readonly pressed: boolean | undefined
  readonly choose: () => void
  readonly children: React.ReactNode
}) {
  const { reason } = useMay('definitions:write')
  const off = reason !== undefined
  return (
    <li>
      <Tooltip label={reason} disabled={!off} multiline maw={320} events={{ hover: true, focus: true, touch: true }}>
        <button
          type="button"
          className={classes.card}
          aria-pressed={props.pressed}
          {...(off ? { 'aria-disabled': true, 'aria-description': reason } : {})}
          onClick={() => {
            if (!off) props.choose()
          }}
        >
          <span className={classes.picture}>{props.children}</span>
          <strong>{props.title}</strong>
          <span className={classes.about}>{props.about}</span>
        </button>
      </Tooltip>
    </li>
  )
}
