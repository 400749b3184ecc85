import { isJsonObject, type Json } from '@lockstep/base'
import Type, { type TSchema } from 'typebox'
import { LONGEST_SECRET_NAME, requireSecret, SECRET_NAME, type Secrets } from '../../outbound/secrets.ts'

export const secretName = (description: string): TSchema =>
  Type.String({ pattern: SECRET_NAME, maxLength: LONGEST_SECRET_NAME, description })

/** Stands where a text would: `{ "secret": "billing-token", "prefix": "Bearer " }`. */
export const secretReference: TSchema = Type.Object(
  {
    secret: secretName('Name of a secret; its value never stands in a document.'),
    prefix: Type.Optional(Type.String({ maxLength: 100, description: 'Comes before the value.' })),
  },
  { additionalProperties: false },
)

export interface SecretText {
  readonly text: string
  /** The value itself, where there is one: to be kept out of messages. */
  readonly secret: string | undefined
}

/** A text as it is, or the secret that it names. */
export async function textOrSecret(value: Json | undefined, secrets: Secrets): Promise<SecretText> {
  if (!isJsonObject(value)) return { text: String(value), secret: undefined }
  const secret = await requireSecret(secrets, String(value.secret))
  return { text: `${typeof value.prefix === 'string' ? value.prefix : ''}${secret}`, secret }
}
