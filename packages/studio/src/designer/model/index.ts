export { copySteps, type PasteResult, pasteSteps } from './clipboard.ts'
export { Design, MINE, type ReadDesign } from './design.ts'
export {
  addNote,
  canConnect,
  connect,
  disconnect,
  inFlowOrder,
  insertInto,
  removeNotes,
  setMember,
  setNote,
  setOutcome,
  setVariable,
} from './flow-operations.ts'
export type { Json, JsonObject } from './json.ts'
export { moveIntoBody, replaceDocument } from './move-operations.ts'
export { type DesignProblem, localProblems, type PlacedProblem, placeProblems } from './problems.ts'
export { type RemovedSteps, restoreSteps, takeSteps } from './removed-steps.ts'
export {
  addBody,
  addStep,
  moveSteps,
  type NewStep,
  removeBody,
  removeSteps,
  rename,
  setDisabled,
  setField,
  setInput,
  wrapSteps,
} from './step-operations.ts'
export {
  type Body,
  bodiesOf,
  type Connection,
  connectionsFrom,
  connectionsTo,
  type DesignView,
  type Note,
  outermost,
  type Position,
  ROOT,
  SLOTS,
  type Slot,
  type Step,
  stepById,
  stepsOf,
  withInside,
} from './view.ts'
