import { ShieldAlert } from 'lucide-react'
import { Empty } from './area.tsx'
import { useMay } from './use-may.ts'

/** What only some may see says so in its place; the server would refuse it as well. */
export function Restricted(props: { readonly permission: string; readonly children: React.ReactNode }) {
  const { allowed, reason } = useMay(props.permission)
  if (allowed) return props.children
  return (
    <div data-testid="restricted">
      <Empty icon={<ShieldAlert size={22} />} title="Not for everybody">
        {reason}
      </Empty>
    </div>
  )
}
