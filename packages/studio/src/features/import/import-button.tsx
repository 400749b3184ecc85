import { Upload } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { MayButton } from '../../ui/may-button.tsx'

const Dialog = lazy(() => import('./import-dialog.tsx').then((module) => ({ default: module.ImportDialog })))

export function ImportButton() {
  const [open, setOpen] = useState(false)
  return (
    <>
      <MayButton
        permission="definitions:write"
        size="xs"
        variant="default"
        leftSection={<Upload size={14} />}
        onClick={() => setOpen(true)}
      >
        Import
      </MayButton>
      {open && (
        <Suspense>
          <Dialog close={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  )
}
