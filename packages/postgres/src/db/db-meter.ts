/** Hears what every statement cost. Called for each of them: it adds numbers up, and does not throw. */
export interface DbMeter {
  /** From sending it to its answer, the wait for a connection included. */
  statement(ms: number): void
  /** The server undid something because two transactions waited for each other. */
  deadlock(): void
}
