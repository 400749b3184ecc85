import { ParsedText, type ParsedTextProps } from '../../form/parsed-text.tsx'
import { useDesigner } from '../state/designer-state.ts'
import { unfinishedOf } from './unfinished.ts'

/** What is no value yet is there again when the field is. */
export const ParsedField = (props: Omit<ParsedTextProps, 'unfinished'>) => (
  <ParsedText {...props} unfinished={unfinishedOf(useDesigner().design)} />
)
