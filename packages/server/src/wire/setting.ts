import Type from 'typebox'
import { nullable } from './schema.ts'

/** One option of a node. */
export interface ServerSetting {
  readonly name: string
  /** Of the environment. */
  readonly variable: string
  /** As text. `null`: it is not set, or a secret. */
  readonly value: string | null
  readonly isSecret: boolean
  readonly isSet: boolean
  /** A flag, a variable, a file, `code` or `default`. */
  readonly origin: string
}

export const Setting = Type.Object({
  name: Type.String(),
  variable: Type.String({ description: 'Environment variable that sets it.' }),
  value: nullable('string', { description: 'What holds, defaults included. null: it is not set, or is a secret.' }),
  isSecret: Type.Boolean({ description: 'true: its value is never shown.' }),
  isSet: Type.Boolean(),
  origin: Type.String({ description: 'Who set it: a flag, a variable, a file, code or default.' }),
})
