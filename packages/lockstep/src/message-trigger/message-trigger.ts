import { isJsonObject } from '@lockstep/base'

/** A `rabbitmq-message` activity of a published workflow. */
export interface MessageTrigger {
  readonly tenant: string
  readonly definitionId: string
  readonly queue: string
  readonly input: 'body' | 'envelope'
  readonly deadLetterQueue: string | undefined
}

/** Of one document. Its inputs are literals, as validation has seen to. */
export function messageTriggers(tenant: string, definitionId: string, document: unknown): readonly MessageTrigger[] {
  if (!isJsonObject(document) || !Array.isArray(document.activities)) return []
  return document.activities.flatMap((activity: unknown): MessageTrigger[] => {
    if (!isJsonObject(activity) || activity.type !== 'rabbitmq-message' || !isJsonObject(activity.inputs)) return []
    const { queue, input, deadLetterQueue } = activity.inputs
    if (typeof queue !== 'string') return []
    return [
      {
        tenant,
        definitionId,
        queue,
        input: input === 'envelope' ? 'envelope' : 'body',
        deadLetterQueue: typeof deadLetterQueue === 'string' ? deadLetterQueue : undefined,
      },
    ]
  })
}
