import { useLocalStorage } from '@mantine/hooks'

/** Rows of 40 pixels, or of 32 for whoever wants to see more of them. Kept in this browser. */
export const useDensity = () =>
  useLocalStorage<'usual' | 'narrow'>({
    key: 'lockstep-density',
    defaultValue: 'usual',
    getInitialValueInEffect: false,
  })
