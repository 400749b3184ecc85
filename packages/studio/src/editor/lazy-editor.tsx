import { lazy, Suspense } from 'react'
import classes from './code-editor.module.css'
import type { CodeEditorProps } from './code-editor.tsx'

const Loaded = lazy(() => import('./code-editor.tsx').then((module) => ({ default: module.CodeEditor })))

/** Until its part of the program has come, the text can be read. */
export function CodeEditor(props: CodeEditorProps) {
  return (
    <Suspense fallback={<pre className={classes.plain}>{props.value}</pre>}>
      <Loaded {...props} />
    </Suspense>
  )
}
