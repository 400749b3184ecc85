import { createTheme, type MantineColorsTuple, Menu, Modal, Notification, Tabs, Tooltip } from '@mantine/core'

const brand: MantineColorsTuple = [
  '#eef2ff',
  '#e0e7ff',
  '#c7d2fe',
  '#a5b4fc',
  '#818cf8',
  '#6366f1',
  '#4f46e5',
  '#4338ca',
  '#3730a3',
  '#312e81',
]
/** Greys of the component library where it is dark, in the tones of tokens.css. */
const dark: MantineColorsTuple = [
  '#e2e8f0',
  '#cbd5e1',
  '#a3b1c6',
  '#7c8ba1',
  '#33445f',
  '#22304a',
  '#18233a',
  '#111a2b',
  '#0b1220',
  '#070c16',
]
/** White on its sixth shade can be read. */
const danger: MantineColorsTuple = [
  '#fef2f2',
  '#fee2e2',
  '#fecaca',
  '#fca5a5',
  '#f87171',
  '#dc2626',
  '#b91c1c',
  '#991b1b',
  '#7f1d1d',
  '#450a0a',
]

export const theme = createTheme({
  colors: { brand, danger, dark },
  primaryColor: 'brand',
  primaryShade: { light: 6, dark: 6 },
  defaultRadius: 6,
  fontFamily: 'var(--font)',
  fontFamilyMonospace: 'var(--mono)',
  fontSizes: { xs: '12px', sm: '13px', md: '14px' },
  cursorType: 'pointer',
  focusRing: 'auto',
  respectReducedMotion: true,
  components: {
    // What takes the focus before the first item does is no item of a menu.
    Menu: Menu.extend({ defaultProps: { withInitialFocusPlaceholder: false } }),
    Modal: Modal.extend({
      defaultProps: { closeButtonProps: { 'aria-label': 'Close' } },
      styles: { title: { fontSize: 15, fontWeight: 600 } },
    }),
    Notification: Notification.extend({ defaultProps: { closeButtonProps: { 'aria-label': 'Close the notice' } } }),
    Tabs: Tabs.extend({ defaultProps: { color: 'var(--accent)' } }),
    Tooltip: Tooltip.extend({ defaultProps: { openDelay: 250, withArrow: true, transitionProps: { duration: 100 } } }),
  },
})
