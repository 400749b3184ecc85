import { StepIcon } from '../../canvas/step-icon.tsx'
import { INNER, type PreviewBox, previewOf, SIZE } from './preview.ts'
import type { Template } from './template.ts'
import classes from './templates.module.css'

const ROOM = 4
const ICON = 14

/** What the steps are and how they follow each other, small. The text beside it says the same. */
export function TemplatePreview({ document }: Pick<Template, 'document'>) {
  const { width, height, boxes, lines } = previewOf(document)
  return (
    <svg
      className={classes.preview}
      viewBox={`${-ROOM} ${-ROOM} ${width + 2 * ROOM} ${height + 2 * ROOM}`}
      style={{ maxWidth: width + 2 * ROOM }}
      aria-hidden="true"
    >
      {lines.map(({ from, to }) => (
        <path key={`${from.id} ${to.id}`} d={curveBetween(from, to)} className={classes.line} />
      ))}
      {boxes.map((box) => (
        <Box key={box.id} box={box} />
      ))}
    </svg>
  )
}

function Box({ box }: { readonly box: PreviewBox }) {
  const { x, y, width, height, type, inside } = box
  const isContainer = inside.length > 0
  return (
    <g transform={`translate(${x} ${y})`}>
      <rect width={width} height={height} rx={6} className={isContainer ? classes.container : classes.step} />
      {!isContainer && <Icon x={0} y={0} size={SIZE} type={type} />}
      {inside.map((step) => (
        <g key={`${step.x} ${step.y}`}>
          <rect x={step.x} y={step.y} width={INNER} height={INNER} rx={5} className={classes.step} />
          <Icon {...step} size={INNER} />
        </g>
      ))}
    </g>
  )
}

function Icon(props: { readonly x: number; readonly y: number; readonly size: number; readonly type: string }) {
  const inset = (props.size - ICON) / 2
  return (
    <g transform={`translate(${props.x + inset} ${props.y + inset})`} className={classes.icon}>
      <StepIcon type={props.type} size={ICON} />
    </g>
  )
}

function curveBetween(from: PreviewBox, to: PreviewBox): string {
  const [x1, y1] = [from.x + from.width, from.y + from.height / 2]
  const [x2, y2] = [to.x, to.y + to.height / 2]
  const bend = (x2 - x1) / 2
  return `M ${x1} ${y1} C ${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`
}
