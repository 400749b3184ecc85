export type LogFields = Readonly<Record<string, unknown>>

/** Where log lines go. Messages are stable sentences; what varies stands in the fields. */
export interface Logger {
  debug(message: string, fields?: LogFields): void
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  error(message: string, fields?: LogFields): void
  /** A logger for one area (`commit`, `claim`, `http`): levels can be set per area. */
  area(name: string): Logger
}

const nothing = (): void => {}

export const silentLogger: Logger = {
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: nothing,
  area: () => silentLogger,
}
