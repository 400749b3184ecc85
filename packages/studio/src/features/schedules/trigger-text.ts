/** When a schedule fires, in a few words: cron with its zone, an interval, or one instant. */
export function triggerText(document: Readonly<Record<string, unknown>>): string {
  const trigger = (document.trigger ?? {}) as Readonly<Record<string, unknown>>
  const zone = text(trigger.timeZone) ?? text(trigger.zone)
  const cron = text(trigger.cron)
  if (cron !== undefined) return `${cron}${zone === undefined ? ' UTC' : ` ${zone}`}`
  const every = trigger.interval ?? trigger.every
  if (every !== undefined) return `every ${typeof every === 'object' ? JSON.stringify(every) : String(every)}`
  const at = text(trigger.at)
  if (at !== undefined) return `once, ${at}`
  return JSON.stringify(trigger)
}

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

/** Whoever made a schedule: the workflow that it starts has it as a trigger, code has it as a job, or somebody made it. */
export function ownerText(owner: string | null | undefined): string {
  if (owner === null || owner === undefined) return 'hand'
  return owner === 'job' ? 'its job' : owner.startsWith('definition:') ? 'its workflow' : owner
}
