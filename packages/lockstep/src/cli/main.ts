import { buildProgram } from './program.ts'
import { reportFailure } from './report-failure.ts'

buildProgram()
  .parseAsync(process.argv)
  .catch((error: unknown) => reportFailure(error))
