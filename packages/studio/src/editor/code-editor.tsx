/** A text with a language. Loaded when one is first shown: `lazy-editor.tsx` is what pages use. */
import { acceptCompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import { javascript } from '@codemirror/lang-javascript'
import { json } from '@codemirror/lang-json'
import { bracketMatching, indentOnInput } from '@codemirror/language'
import { lintGutter, setDiagnostics } from '@codemirror/lint'
import { Compartment, EditorState, type Extension } from '@codemirror/state'
import { drawSelection, EditorView, keymap, lineNumbers, placeholder } from '@codemirror/view'
import { useEffect, useRef } from 'react'
import classes from './code-editor.module.css'
import { type CodeMark, rangeOf } from './code-mark.ts'
import { editorTheme } from './editor-theme.ts'

export interface CodeEditorProps {
  readonly value: string
  readonly onChange?: ((value: string) => void) | undefined
  readonly language: 'json' | 'javascript' | 'text'
  /** Read out, and found by tests. */
  readonly label: string
  readonly id?: string | undefined
  readonly readOnly?: boolean | undefined
  readonly marks?: readonly CodeMark[] | undefined
  /** Brings the first error into view, but never away from where somebody types. */
  readonly showFirst?: boolean | undefined
  /** Grows with its text between these, in lines. Absent: as high as its place. */
  readonly lines?: { readonly least: number; readonly most: number } | undefined
  readonly numbers?: boolean | undefined
  readonly placeholder?: string | undefined
  /** Asked once: whether to take the focus, behind the text, from what stood in its place. */
  readonly takesFocus?: (() => boolean) | undefined
  /** Completion and the like. Must stay the same object while it means the same. */
  readonly extension?: Extension | undefined
}

const LINE = 20
const AROUND = 12
const languages = { json: [json()], javascript: [javascript()], text: [] }

export function CodeEditor(props: CodeEditorProps) {
  const { value, language, label, id, readOnly = false, marks, lines, numbers = false, extension } = props
  const { showFirst = false } = props
  const typed = useRef(false)
  const place = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(undefined)
  const changed = useRef(props.onChange)
  changed.current = props.onChange
  const parts = useRef({ access: new Compartment(), more: new Compartment() })
  const given = useRef({ value, readOnly, extension, hint: props.placeholder ?? '' })
  const takesFocus = useRef(props.takesFocus)

  useEffect(() => {
    const { access, more } = parts.current
    const editor = new EditorView({
      parent: place.current!,
      state: EditorState.create({
        doc: given.current.value,
        extensions: [
          ...(numbers ? [lineNumbers(), lintGutter()] : []),
          history(),
          drawSelection(),
          bracketMatching(),
          closeBrackets(),
          indentOnInput(),
          languages[language],
          editorTheme,
          EditorView.lineWrapping,
          EditorView.contentAttributes.of({ 'aria-label': label, ...(id === undefined ? {} : { id }) }),
          placeholder(given.current.hint),
          keymap.of([
            { key: 'Tab', run: acceptCompletion },
            ...closeBracketsKeymap,
            ...defaultKeymap,
            ...historyKeymap,
            ...completionKeymap,
            ...(numbers ? [indentWithTab] : []),
          ]),
          access.of(accessOf(given.current.readOnly)),
          more.of(given.current.extension ?? []),
          EditorView.updateListener.of((update) => {
            if (!update.docChanged) return
            typed.current = update.transactions.some(
              (each) => each.isUserEvent('input.type') || each.isUserEvent('delete'),
            )
            changed.current?.(update.state.doc.toString())
          }),
        ],
      }),
    })
    view.current = editor
    if (takesFocus.current?.() === true) {
      editor.dispatch({ selection: { anchor: editor.state.doc.length } })
      editor.focus()
    }
    takesFocus.current = undefined
    return () => editor.destroy()
  }, [language, label, id, numbers])

  useEffect(() => {
    view.current?.dispatch({ effects: parts.current.access.reconfigure(accessOf(readOnly)) })
  }, [readOnly])
  useEffect(() => {
    view.current?.dispatch({ effects: parts.current.more.reconfigure(extension ?? []) })
  }, [extension])
  useEffect(() => {
    const editor = view.current
    given.current = { ...given.current, value }
    if (editor === undefined || editor.state.doc.toString() === value) return
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: value } })
  }, [value])
  useEffect(() => {
    const editor = view.current
    if (editor === undefined) return
    const { doc } = editor.state
    const found = (marks ?? []).map((mark) => ({
      ...rangeOf(doc, (from, to) => doc.sliceString(from, to), mark),
      severity: mark.severity,
      message: mark.text,
    }))
    editor.dispatch(setDiagnostics(editor.state, found))
    const first = found.filter(({ severity }) => severity === 'error').sort((a, b) => a.from - b.from)[0]
    if (showFirst && first !== undefined && !typed.current)
      editor.dispatch({ effects: EditorView.scrollIntoView(first.from, { y: 'center' }) })
  }, [marks, showFirst])

  const height = lines && { minHeight: lines.least * LINE + AROUND, maxHeight: lines.most * LINE + AROUND }
  return (
    <div
      ref={place}
      className={classes.editor}
      data-fill={lines === undefined}
      data-readonly={readOnly}
      data-invalid={marks?.some(({ severity }) => severity === 'error') ?? false}
      style={height}
    />
  )
}

const accessOf = (readOnly: boolean): Extension => [
  EditorState.readOnly.of(readOnly),
  EditorView.editable.of(!readOnly),
]
