/** Parts of a step that has several, as people read them, wherever they are named: in the drawing, the outline, the inspector. */
export function partName(stepType: string, slot: string, at = 0): string {
  if (slot === 'branches') return `Branch ${at + 1}`
  if (slot === 'compensate') return 'Undo'
  if (slot === 'body' && stepType === 'try') return 'Try'
  return slot.charAt(0).toUpperCase() + slot.slice(1)
}
