import Type, { type TSchema } from 'typebox'
import { LONGEST_SECRET_NAME, SECRET_NAME } from '../../outbound/secrets.ts'
import { badInput } from './outside-step.ts'

/** `x-secret` tells editors that the text is one of a list of names. */
export const secretName = (description: string): TSchema =>
  Type.String({ pattern: SECRET_NAME, maxLength: LONGEST_SECRET_NAME, description, 'x-secret': 'name' })

/** Stands where a text would: `{ "secret": "billing-token", "prefix": "Bearer " }`. The value takes its place before the code runs. */
export const secretReference: TSchema = Type.Object(
  {
    secret: secretName('Name of a secret; its value never stands in a document.'),
    prefix: Type.Optional(Type.String({ maxLength: 100, description: 'Comes before the value.' })),
  },
  { additionalProperties: false },
)

/** What an expression gave is data: it may not choose which secret goes out. */
export const namedByData = (place: string): Error =>
  badInput(`${place} names a secret through an expression: name it in the document itself`)
