/** Pages without scripts: whatever a browser can show, or a reader can read aloud, can use them. */
import type { Json } from '@lockstep/base'
import { FIELD, OUTCOME } from './form-data.ts'
import type { FormField } from './form-fields.ts'

export interface AskPage {
  readonly title: string
  readonly description: string | undefined
  readonly dueAt: number | undefined
  readonly expiresAt: number
  readonly outcomes: readonly string[]
  readonly fields: readonly FormField[]
  /** What was filled in before, by name. */
  readonly filled: ReadonlyMap<string, string>
  /** What does not fit, by name of the field; '' for all of it. */
  readonly wrong: ReadonlyMap<string, string>
}

export function askPage(page: AskPage, stylePath: string): string {
  const { title, description, dueAt, expiresAt, outcomes, fields, wrong } = page
  const summary = wrong.get('') ?? (wrong.size > 0 ? 'Something does not fit yet: see below.' : undefined)
  const buttons = (outcomes.length === 0 ? [''] : outcomes).map((outcome, at) => button(outcome, at === 0))
  return frame(
    title,
    stylePath,
    [
      `<h1>${escaped(title)}</h1>`,
      description === undefined ? '' : `<p>${escaped(description)}</p>`,
      dueAt === undefined ? '' : `<p class="soft">Please answer before ${moment(dueAt)}.</p>`,
      summary === undefined ? '' : `<p class="wrong" role="alert">${escaped(summary)}</p>`,
      '<form method="post" autocomplete="off">',
      ...fields.map((field, at) => fieldHtml(field, at, page)),
      `<div class="buttons">${buttons.join('')}</div>`,
      '</form>',
      `<p class="soft">This link works once, until ${moment(expiresAt)}.</p>`,
    ].join('\n'),
  )
}

export const sayPage = (title: string, text: string, stylePath: string): string =>
  frame(title, stylePath, `<h1>${escaped(title)}</h1>\n<p>${escaped(text)}</p>`)

const frame = (title: string, stylePath: string, main: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escaped(title)}</title>
<link rel="stylesheet" href="${escaped(stylePath)}">
</head>
<body>
<main>
${main}
</main>
</body>
</html>
`

function button(outcome: string, isFirst: boolean): string {
  const look = isFirst ? ' class="first"' : ''
  if (outcome === '' || outcome === 'done')
    return `<button${look} name="${OUTCOME}" value="${escaped(outcome)}">Send</button>`
  const label = outcome.slice(0, 1).toUpperCase() + outcome.slice(1).replace(/[_-]+/g, ' ')
  return `<button${look} name="${OUTCOME}" value="${escaped(outcome)}">${escaped(label)}</button>`
}

function fieldHtml(field: FormField, at: number, { filled, wrong }: AskPage): string {
  const id = `f${at}`
  const fault = wrong.get(field.name)
  const tells = [field.hint === undefined ? '' : `${id}-hint`, fault === undefined ? '' : `${id}-wrong`].filter(Boolean)
  const attributes = [
    `id="${id}" name="${escaped(FIELD + field.name)}"`,
    field.isRequired && field.kind !== 'yes-no' ? 'required' : '',
    tells.length === 0 ? '' : `aria-describedby="${tells.join(' ')}"`,
    fault === undefined ? '' : 'aria-invalid="true"',
    ...Object.entries(field.bounds).map(([name, value]) => `${name}="${escaped(value)}"`),
  ]
  const value = filled.get(field.name) ?? shown(field.given)
  const control = controlOf(field, attributes.filter(Boolean).join(' '), value)
  const hint = field.hint === undefined ? '' : `<span class="hint" id="${id}-hint">${escaped(field.hint)}</span>`
  const optional = field.isRequired || field.kind === 'yes-no' ? '' : ' <span class="soft">(optional)</span>'
  const label = `${escaped(field.label)}${optional}`
  const body =
    field.kind === 'yes-no'
      ? `<label for="${id}">${control}${label}</label>${hint}`
      : `<label for="${id}">${label}</label>${hint}${control}`
  const said = fault === undefined ? '' : `<span class="wrong" id="${id}-wrong">${escaped(fault)}</span>`
  return `<div class="field">${body}${said}</div>`
}

function controlOf({ kind, choices, isWhole, isRequired }: FormField, attributes: string, value: string): string {
  switch (kind) {
    case 'long-text':
    case 'json':
      return `<textarea ${attributes}>${escaped(value)}</textarea>`
    case 'yes-no':
      return `<input type="checkbox" value="yes" ${attributes}${value === 'yes' || value === 'true' ? ' checked' : ''}>`
    case 'choice': {
      const none = isRequired ? '' : '<option value=""></option>'
      const options = choices.map((each, at) => {
        const chosen = value === String(at) || value === shown(each) ? ' selected' : ''
        return `<option value="${at}"${chosen}>${escaped(shown(each))}</option>`
      })
      return `<select ${attributes}>${none}${options.join('')}</select>`
    }
    case 'number':
      return `<input type="number" step="${isWhole ? '1' : 'any'}" ${attributes} value="${escaped(value)}">`
    case 'date':
    case 'email':
      return `<input type="${kind}" ${attributes} value="${escaped(value)}">`
    default:
      return `<input type="text" ${attributes} value="${escaped(value)}">`
  }
}

const shown = (value: Json | undefined): string =>
  value === undefined || value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value)

const moment = (at: number): string => {
  const text = new Date(at).toISOString()
  return `<time datetime="${text}">${text.slice(0, 10)} ${text.slice(11, 16)} UTC</time>`
}

const escaped = (text: string): string => text.replace(/[&<>"'`]/g, (sign) => `&#${sign.charCodeAt(0)};`)
