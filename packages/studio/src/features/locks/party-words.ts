import { shortId } from '../../ui/time-text.ts'
import type { Party } from './wait-picture.ts'

/** What a party is called, and what else tells it from others. The node is told of who holds something: who only waits may be in nobody's hands. */
export function partyWords(
  { kind, definitionId, instanceId, owner, name }: Party,
  isHolder: boolean,
): { readonly name: string; readonly note: string } {
  const on = name === null || !isHolder ? '' : `on ${name}`
  if (kind === 'instance' && instanceId !== null)
    return definitionId === null
      ? { name: shortId(instanceId), note: on }
      : { name: definitionId, note: `…${instanceId.slice(-6)} ${on}`.trim() }
  if (kind === 'owner') return { name: owner ?? 'A task', note: on }
  return kind === 'process' ? { name: name ?? 'A process', note: 'process' } : { name: 'Unknown', note: '' }
}
