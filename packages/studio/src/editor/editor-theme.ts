import { HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import type { Extension } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { styleNonce } from '../browser/place.ts'

/** In the colours of the page, which change with its scheme: one theme for both. */
const look = EditorView.theme({
  '&': { color: 'var(--text)', backgroundColor: 'var(--surface)', fontSize: '12.5px', height: '100%' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '20px' },
  '.cm-content': { caretColor: 'var(--text)', padding: '6px 0' },
  '.cm-line': { padding: '0 10px' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--accent-tint)',
  },
  '.cm-gutters': { backgroundColor: 'var(--surface-2)', color: 'var(--muted)', border: 'none' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'transparent' },
  '.cm-matchingBracket': { backgroundColor: 'var(--accent-tint)', outline: '1px solid var(--accent)' },
  '.cm-placeholder': { color: 'var(--muted)' },
  '.cm-tooltip': {
    backgroundColor: 'var(--surface)',
    border: '1px solid var(--border-strong)',
    borderRadius: '6px',
    boxShadow: 'var(--shadow)',
    color: 'var(--text)',
    overflow: 'hidden',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--mono)', fontSize: '12.5px', maxHeight: '240px' },
  '.cm-tooltip-autocomplete > ul > li': { padding: '3px 8px !important', lineHeight: '18px' },
  '.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    backgroundColor: 'var(--selected) !important',
    color: 'var(--text) !important',
  },
  '.cm-completionMatchedText': { textDecoration: 'none', color: 'var(--accent)', fontWeight: '600' },
  '.cm-completionDetail': { color: 'var(--muted)', fontStyle: 'normal', marginLeft: '10px', fontFamily: 'var(--font)' },
  '.cm-tooltip.cm-completionInfo': { padding: '8px 10px', maxWidth: '320px', font: '400 12px / 18px var(--font)' },
  '.cm-lintRange-error': {
    backgroundImage: 'none',
    textDecoration: 'underline wavy var(--faulted)',
    textDecorationSkipInk: 'none',
    textUnderlineOffset: '3px',
  },
  '.cm-lintRange-warning': {
    backgroundImage: 'none',
    textDecoration: 'underline wavy var(--retrying)',
    textDecorationSkipInk: 'none',
    textUnderlineOffset: '3px',
  },
  '.cm-diagnostic': { font: '400 12px / 18px var(--font)', padding: '6px 10px' },
  '.cm-diagnostic-error': { borderLeft: '3px solid var(--faulted)' },
  '.cm-diagnostic-warning': { borderLeft: '3px solid var(--retrying)' },
})

const words = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--running)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--completed)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--retrying)' },
  { tag: [tags.keyword, tags.operatorKeyword], color: 'var(--suspended)' },
  { tag: [tags.comment], color: 'var(--muted)', fontStyle: 'italic' },
])

/** The nonce lets the style element in that the library adds: the page allows no other. */
export const editorTheme: Extension = [look, syntaxHighlighting(words), EditorView.cspNonce.of(styleNonce ?? '')]
