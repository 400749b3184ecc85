import { Drawer } from '@mantine/core'

/** Details beside the list they belong to. */
export function SidePanel(props: {
  readonly title: React.ReactNode
  readonly close: () => void
  readonly children: React.ReactNode
}) {
  return (
    <Drawer
      opened
      onClose={props.close}
      position="right"
      size={440}
      title={props.title}
      overlayProps={{ backgroundOpacity: 0.15 }}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {props.children}
    </Drawer>
  )
}
