import { Kbd, Modal } from '@mantine/core'
import { Fragment } from 'react'
import { designerKeys } from '../designer/state/key-names.ts'
import classes from './key-help.module.css'
import { navPages } from './pages.ts'

const keys: readonly (readonly [readonly string[], string])[] = [
  [['Ctrl', 'K'], 'Search, jump, act'],
  [['/'], 'Search on this page'],
  [['.'], 'Live or paused'],
  [['?'], 'This list'],
  [['j'], 'Next row'],
  [['k'], 'Row before'],
  [['Enter'], 'Open the row'],
  [['x'], 'Select the row'],
  [['p'], 'Peek at the row'],
  [['['], 'Instance: one fact back in time'],
  [[']'], 'Instance: one fact on'],
  [['Esc'], 'Close, or leave what is selected'],
]

export function KeyHelp({ opened, onClose }: { readonly opened: boolean; readonly onClose: () => void }) {
  const all = [...keys, ...designerKeys, ...navPages.map(({ key, label }) => [['g', key], label] as const)]
  return (
    <Modal opened={opened} onClose={onClose} title="Keys" size="md">
      <dl className={classes.keys}>
        {all.map(([combination, what]) => (
          <Fragment key={what}>
            <dt>
              {combination.map((key) => (
                <Kbd key={key}>{key}</Kbd>
              ))}
            </dt>
            <dd>{what}</dd>
          </Fragment>
        ))}
      </dl>
    </Modal>
  )
}
