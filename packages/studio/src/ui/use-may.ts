import { useQuery } from '@tanstack/react-query'
import { sessionQuery } from '../api/session.ts'

export interface May {
  readonly allowed: boolean
  /** Why not, as a sentence. */
  readonly reason: string | undefined
}

/** Whether the caller may do what asks for `permission`. Until that is known it may: the server decides anyway. */
export function useMay(permission: string | undefined): May {
  const { data } = useQuery(sessionQuery())
  if (permission === undefined || data === undefined || data.permissions.includes(permission))
    return { allowed: true, reason: undefined }
  const who = data.role === null ? 'You' : `Your role, ${data.role},`
  return { allowed: false, reason: `${who} may not do this. It asks for ${permission}.` }
}
