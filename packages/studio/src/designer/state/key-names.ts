/** Listed under `?`. */
export const designerKeys: readonly (readonly [readonly string[], string])[] = [
  [['Tab'], 'Designer: add a step'],
  [['C'], 'Designer: connect to another step'],
  [['←', '↑', '→', '↓'], 'Designer: walk along the flow'],
  [['Alt', '←'], 'Designer: move what is selected'],
  [['Enter'], 'Designer: edit the step'],
  [['F2'], 'Designer: rename'],
  [['D'], 'Designer: disable or enable'],
  [['F'], 'Designer: fold or unfold a container'],
  [['N'], 'Designer: add a note'],
  [['Del'], 'Designer: delete'],
  [['Ctrl', 'D'], 'Designer: duplicate'],
  [['Ctrl', 'Z'], 'Designer: undo (with Shift: redo)'],
  [['Ctrl', 'S'], 'Designer: save now'],
  [['Shift', 'L'], 'Designer: lay out'],
  [['1'], 'Designer: fit all'],
  [['0'], 'Designer: true size'],
]
