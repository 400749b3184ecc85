import { errorMessage, type Json } from '@lockstep/base'
import { FormInvalid } from '@lockstep/engine'
import { checkSound, refusePrototypes } from '../request/sound-json.ts'
import type { FormField } from './form-fields.ts'

/** Before the names of fields, so that none of them can be taken for a button. */
export const FIELD = 'field.'
export const OUTCOME = 'outcome'

/**
 * What a browser sent, as the form means it. What cannot be meant stays text: the form's own check says why it does not fit. What
 * nobody could keep is refused here, by its field.
 */
export function formData(fields: readonly FormField[], sent: URLSearchParams): Json {
  const [only] = fields
  if (only?.name === '') return soundAnswer(only, sent) ?? null
  const data: Record<string, Json> = {}
  for (const field of fields) {
    const value = soundAnswer(field, sent)
    if (value !== undefined)
      Object.defineProperty(data, field.name, { value, enumerable: true, configurable: true, writable: true })
  }
  return data
}

function soundAnswer(field: FormField, sent: URLSearchParams): Json | undefined {
  try {
    return answerOf(field, sent)
  } catch (error) {
    const pointer = field.name === '' ? '' : `/${field.name.replaceAll('~', '~0').replaceAll('/', '~1')}`
    throw new FormInvalid({ problems: [{ pointer, text: errorMessage(error) }] }, { cause: error })
  }
}

/** `undefined`: nothing was filled in. */
function answerOf({ name, kind, choices, isRequired }: FormField, sent: URLSearchParams): Json | undefined {
  const text = sent.get(`${FIELD}${name}`)?.replaceAll('\r\n', '\n')
  if (kind === 'yes-no') return text === 'yes'
  if (text !== undefined) checkSound(JSON.stringify(text), text)
  if (text === undefined || text === '') return kind === 'text' && isRequired ? '' : undefined
  switch (kind) {
    case 'choice':
      return choices[Number(text)] ?? text
    case 'number':
      return Number.isFinite(Number(text)) ? Number(text) : text
    case 'json':
      return parsed(text)
    default:
      return text
  }
}

function parsed(text: string): Json {
  let value: Json
  try {
    value = JSON.parse(text) as Json
  } catch {
    return text
  }
  checkSound(text, value)
  refusePrototypes(value)
  return value
}
