import type { Area, FindingCode } from '../store/maintenance-store.ts'

export interface FindingKind {
  readonly meaning: string
  /** What repair does; absent: it needs a person. */
  readonly repair: string | undefined
}

export const AREAS: readonly Area[] = ['instances', 'agenda', 'bookmarks', 'inbox', 'schedules']

/** Every way in which the store can be broken that the doctor knows. */
export const FINDING_KINDS: Readonly<Record<FindingCode, FindingKind>> = {
  STRANDED: {
    meaning: 'It has not ended, has nothing to do, and waits for no bookmark and no child: nothing will ever move it',
    repair: 'has it opened anew: it reads its journal, and what it waits for is put back',
  },
  BOOKMARK_LOST: {
    meaning: 'By its journal it waits for something that has no bookmark: no resume and no event can reach it there',
    repair: 'has it opened anew: it reads its journal, and what it waits for is put back',
  },
  JOURNAL_GAP: {
    meaning:
      'Facts are missing from its journal, or it does not end where the instance says: what it did cannot be told any more',
    repair: undefined,
  },
  AGENDA_OF_FINISHED: {
    meaning: 'It has ended and is still on the agenda: nodes claim it in vain',
    repair: 'takes it off the agenda, unless a living node holds it',
  },
  AGENDA_WITHOUT_INSTANCE: {
    meaning: 'The agenda has a row whose instance does not exist: nodes claim it in vain',
    repair: 'deletes the row, unless a living node holds it',
  },
  CLAIM_OF_DEAD_NODE: {
    meaning: 'It is claimed by a node that has no row any more: nobody works on it, and nobody else may',
    repair: 'frees the claim, as the burial of the node should have',
  },
  BOOKMARK_OF_FINISHED: {
    meaning: 'An ended instance still has a bookmark: resumes and events would be taken and lost',
    repair: 'deletes the bookmark',
  },
  BOOKMARK_WITHOUT_INSTANCE: {
    meaning: 'A bookmark belongs to no instance: resumes and events would be taken and lost',
    repair: 'deletes the bookmark',
  },
  TASK_LOST: {
    meaning:
      'It waits for a worker or a person, and there is no open task that they could find: nobody will ever do it',
    repair: 'has the instance opened anew: it reads its journal, and the task is put back under the id that it had',
  },
  INBOX_OF_FINISHED: {
    meaning: 'A message came for an instance that had ended: nobody will read it',
    repair: 'deletes the message',
  },
  INBOX_WITHOUT_INSTANCE: {
    meaning: 'A message belongs to no instance: nobody will read it',
    repair: 'deletes the message',
  },
  MESSAGE_NOT_COUNTED: {
    meaning: 'A message waits for an instance that was not told of it',
    repair: 'tells the instance',
  },
  SCHEDULE_ASLEEP: {
    meaning: 'A schedule knows when it fires next, and nobody is to decide about it then',
    repair: 'has it decided about at that time',
  },
  SCHEDULE_WITHOUT_NEXT: {
    meaning: 'A schedule that repeats without an end has no next time: save it again, or remove it',
    repair: undefined,
  },
}
