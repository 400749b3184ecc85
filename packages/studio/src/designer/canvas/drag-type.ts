/** What a dragged activity of the palette carries. */
export const TYPE_OF_DRAG = 'application/x-lockstep-activity'
