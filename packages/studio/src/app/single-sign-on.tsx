import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { basePath } from '../browser/place.ts'

/** Leads to the provider and back to the page that was wanted; shown where the server has one. */
export function SingleSignOn() {
  const { data } = useQuery({
    queryKey: ['auth-options'],
    queryFn: async () =>
      (await (await fetch(`${basePath}/auth/options`)).json()) as { readonly singleSignOn?: boolean },
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
  if (data?.singleSignOn !== true) return null
  const to = encodeURIComponent(location.pathname + location.search)
  return (
    <Button component="a" href={`${basePath}/auth/oidc/start?to=${to}`} variant="default" fullWidth>
      Single sign-on
    </Button>
  )
}
