/**
 * What a cron schedule does where its wall clock is moved.
 *
 * In spring the clock jumps ahead and some wall times do not exist (the gap). In autumn it goes back and some exist twice
 * (the fold). Two independent rules govern the two:
 *
 *   gap   `skip`   an occurrence inside the gap does not happen
 *         `shift`  it fires at the end of the gap, the first instant that exists; several of one gap fire there once
 *   fold  `once`   a wall time that exists twice fires the first time only
 *         `twice`  it fires both times
 *
 * A word alone sets the rule that it names; the other takes its default. The default depends on the hours of the cron:
 *
 *   fixed hours (`30 2 * * *`)      gap `shift`, fold `once`    every day has its run, and no day has two
 *   every hour  (`*\/15 * * * *`)   gap `skip`,  fold `twice`   the schedule follows real time, without a hole or a double
 *
 * Gaps and folds of any length count: 30 minutes on Lord Howe, a whole day in Apia in 2011, zones that change their offset for good.
 */
export type GapRule = 'skip' | 'shift'
export type FoldRule = 'once' | 'twice'
export type DstWord = GapRule | FoldRule

export interface DstRules {
  readonly gap: GapRule
  readonly fold: FoldRule
}

export function dstRules(
  policy: DstWord | { readonly gap?: GapRule; readonly fold?: FoldRule } | undefined,
  everyHour: boolean,
): DstRules {
  const usual: DstRules = everyHour ? { gap: 'skip', fold: 'twice' } : { gap: 'shift', fold: 'once' }
  switch (policy) {
    case undefined:
      return usual
    case 'skip':
    case 'shift':
      return { ...usual, gap: policy }
    case 'once':
    case 'twice':
      return { ...usual, fold: policy }
    default:
      return { gap: policy.gap ?? usual.gap, fold: policy.fold ?? usual.fold }
  }
}
