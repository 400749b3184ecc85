import { Link } from '@tanstack/react-router'
import type { ClusterNode } from '../../api/wire.ts'

/** Leads to the page of the node. */
export const NodeName = ({ node }: { readonly node: Pick<ClusterNode, 'id' | 'name'> }) => (
  <Link to="/cluster/$nodeId" params={{ nodeId: node.id }} className="link">
    {node.name}
  </Link>
)
