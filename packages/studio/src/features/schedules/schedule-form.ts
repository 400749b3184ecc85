/** What the form of a schedule holds, and the document that it stands for. */
export interface ScheduleForm {
  readonly id: string
  readonly name: string
  readonly definitionId: string
  readonly kind: 'cron' | 'interval' | 'at'
  readonly cron: string
  readonly interval: string
  readonly at: string
  readonly zone: string
  readonly misfire: string
  readonly overlap: string
  /** JSON. Empty: none. */
  readonly input: string
}

type Document = Readonly<Record<string, unknown>>

export const MISFIRES = [
  { value: 'fire-once', label: 'Run once for all that were missed' },
  { value: 'skip', label: 'Let them go' },
  { value: 'catch-up', label: 'Run the latest of them' },
]
export const OVERLAPS = [
  { value: 'skip', label: 'Do not start another' },
  { value: 'queue', label: 'Start it afterwards' },
  { value: 'allow', label: 'Start it beside the earlier one' },
  { value: 'cancel-previous', label: 'Cancel the earlier one' },
]
const CATCH_UP = 10

export function formOf(document: Document = {}): ScheduleForm {
  const trigger = (document.trigger ?? {}) as Document
  const text = (value: unknown): string => (value === undefined || value === null ? '' : String(value))
  const { misfire } = document
  return {
    id: text(document.id),
    name: text(document.name),
    definitionId: text(document.definitionId),
    kind: trigger.interval !== undefined ? 'interval' : trigger.at !== undefined ? 'at' : 'cron',
    cron: text(trigger.cron) || '0 3 * * *',
    interval: text(trigger.interval) || '15m',
    at: text(trigger.at),
    zone: text(trigger.zone) || 'UTC',
    misfire: typeof misfire === 'object' ? 'catch-up' : text(misfire) || 'fire-once',
    overlap: text(document.overlap) || 'skip',
    input: document.input === undefined ? '' : JSON.stringify(document.input, null, 2),
  }
}

/** What the form does not show stays as it was. Throws a `SyntaxError` when the input is no JSON. */
export function documentOf(form: ScheduleForm, before: Document = {}): Document {
  const { name: _name, input: _input, ...rest } = before
  const old = (before.trigger ?? {}) as Document
  const trigger = {
    cron: { cron: form.cron.trim(), zone: form.zone.trim() },
    interval: { interval: form.interval.trim(), ...(old.anchor === undefined ? {} : { anchor: old.anchor }) },
    at: { at: form.at.trim() },
  }[form.kind]
  const kept = typeof before.misfire === 'object' ? before.misfire : { catchUp: CATCH_UP }
  return {
    ...rest,
    id: form.id.trim(),
    ...(form.name.trim() === '' ? {} : { name: form.name.trim() }),
    ...(form.definitionId === '' ? {} : { definitionId: form.definitionId }),
    trigger,
    misfire: form.misfire === 'catch-up' ? kept : form.misfire,
    overlap: form.overlap,
    ...(form.input.trim() === '' ? {} : { input: JSON.parse(form.input) as unknown }),
  }
}
