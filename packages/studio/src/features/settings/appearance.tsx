import { SegmentedControl, useMantineColorScheme } from '@mantine/core'
import { Card } from '../../ui/page.tsx'
import { type TimeStyle, useTimeStyle } from '../../ui/time-style.ts'
import classes from './settings.module.css'

const schemes = [
  { value: 'auto', label: 'As the system' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
] as const

const times = [
  { value: 'relative', label: 'From now' },
  { value: 'local', label: 'Local' },
  { value: 'utc', label: 'UTC' },
] as const

/** Of this browser only. */
export function Appearance() {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const { style, setStyle } = useTimeStyle()
  return (
    <Card title="Appearance">
      <div className={classes.choices}>
        <span id="choice-colours">Colours</span>
        <SegmentedControl
          aria-labelledby="choice-colours"
          data={[...schemes]}
          value={colorScheme}
          onChange={(to) => setColorScheme(to as 'auto')}
        />
        <span id="choice-times">Times</span>
        <SegmentedControl
          aria-labelledby="choice-times"
          data={[...times]}
          value={style}
          onChange={(to) => setStyle(to as TimeStyle)}
        />
      </div>
      <p className="muted small">Kept in this browser. Hovering over a time shows all of its forms.</p>
    </Card>
  )
}
