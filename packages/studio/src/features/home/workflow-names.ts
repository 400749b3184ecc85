import { useQuery } from '@tanstack/react-query'
import { definitionsQuery } from '../../api/queries.ts'

const MOST = 200

/** What people call the workflow of this id; the id itself where that is not known. */
export function useWorkflowNames(): (id: string) => string {
  const { data } = useQuery({ ...definitionsQuery({ limit: MOST }), staleTime: 30_000 })
  return (id) => data?.items.find((each) => each.id === id)?.name ?? id
}
