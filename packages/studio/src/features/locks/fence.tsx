import { CopyButton } from '../../ui/copy-button.tsx'

const SHOWN = 6

/** The end of a fence, which is what differs; the whole is copied. */
export function Fence({ fence }: { readonly fence: string | null }) {
  if (fence === null) return <span className="muted">–</span>
  return (
    <span className="mono" title={fence} data-fence={fence}>
      {fence.length > SHOWN + 2 ? `…${fence.slice(-SHOWN)}` : fence}
      <CopyButton text={fence} what="fence" />
    </span>
  )
}
