import type { Statement } from './statement.ts'

/** The parameters of a statement; none for a statement without any. */
export type Given<P> = [P] extends [undefined] ? [] : [params: P]

/** Statements against one database session, or against whichever session of a lane is free. */
export interface Queries {
  many<P, R>(statement: Statement<P, R>, ...given: Given<P>): Promise<R[]>
  /** Throws `UNEXPECTED_ROW_COUNT` unless there is exactly one row. */
  one<P, R>(statement: Statement<P, R>, ...given: Given<P>): Promise<R>
  /** Throws `UNEXPECTED_ROW_COUNT` when there are several rows. */
  maybeOne<P, R>(statement: Statement<P, R>, ...given: Given<P>): Promise<R | undefined>
  /** Answers how many rows were touched. */
  run<P>(statement: Statement<P, unknown>, ...given: Given<P>): Promise<number>
  /** Several statements in one text, without parameters, all or none of them. */
  script(sql: string): Promise<void>
}
