import '@mantine/core/styles.css'
import '@mantine/notifications/styles.css'
import './ui/tokens.css'
import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core'
import { Notifications } from '@mantine/notifications'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { Problem } from './api/problem.ts'
import { router } from './app/router.tsx'
import { theme } from './app/theme.ts'
import { styleNonce } from './browser/place.ts'
import { followServer } from './live/follow.ts'
import { watchAnswers } from './live/watch-answers.ts'

// Read by the library that keeps the page behind a dialog still: it adds a style element.
Object.assign(globalThis, { __webpack_nonce__: styleNonce })

const client = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 1_000,
      // What was refused is refused again; what was not answered may be.
      retry: (count, error) => count < 2 && error instanceof Problem && (error.status === 0 || error.status >= 502),
      refetchOnWindowFocus: true,
    },
  },
})
watchAnswers(client)
followServer(client)

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      defaultColorScheme="auto"
      colorSchemeManager={localStorageColorSchemeManager({ key: 'mantine-color-scheme-value' })}
      getStyleNonce={() => styleNonce ?? ''}
    >
      <QueryClientProvider client={client}>
        <Notifications position="bottom-right" limit={4} />
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
)
