import { Upload } from 'lucide-react'
import { lazy, Suspense, useRef, useState } from 'react'
import { useMay } from '../../ui/use-may.ts'
import classes from './import.module.css'

const Dialog = lazy(() => import('./import-dialog.tsx').then((module) => ({ default: module.ImportDialog })))

/** Files that are dropped anywhere on it are shown as what they would become, before anything is saved. */
export function ImportDrop({ children }: { readonly children: React.ReactNode }) {
  const { allowed } = useMay('definitions:write')
  const [text, setText] = useState<string>()
  const [over, setOver] = useState(false)
  // Over a child the place itself is left: what is entered is counted against what is left.
  const depth = useRef(0)
  const isFile = (event: React.DragEvent): boolean => allowed && event.dataTransfer.types.includes('Files')
  const end = (): void => {
    depth.current = 0
    setOver(false)
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button Import does the same
    <div
      className={classes.drop}
      data-over={over}
      onDragEnter={(event) => {
        if (!isFile(event)) return
        depth.current += 1
        setOver(true)
      }}
      onDragOver={(event) => {
        if (isFile(event)) event.preventDefault()
      }}
      onDragLeave={(event) => {
        if (isFile(event) && --depth.current <= 0) end()
      }}
      onDrop={(event) => {
        if (!isFile(event)) return
        event.preventDefault()
        end()
        const [file] = event.dataTransfer.files
        void file?.text().then(setText)
      }}
    >
      {children}
      {over && (
        <div className={classes.dropHint} data-testid="import-drop">
          <Upload size={18} aria-hidden /> Drop it to see what would be imported
        </div>
      )}
      {text !== undefined && (
        <Suspense>
          <Dialog given={text} close={() => setText(undefined)} />
        </Suspense>
      )}
    </div>
  )
}
