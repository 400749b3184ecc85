import { errorCode, errorMessage } from '@lockstep/base'
import { BadRequest, BodyTooLarge, UnsupportedMediaType } from './request-errors.ts'

/** What the HTTP framework refused, in the words of our catalogue. Anything else is left as it is. */
export function fromFramework(
  error: unknown,
  request: {
    readonly contentType: string | undefined
    readonly bodyLimit: number
    readonly accepts?: readonly string[] | undefined
  },
): unknown {
  const code = errorCode(error)
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    return new UnsupportedMediaType({
      found:
        request.contentType === undefined
          ? 'A body without a type'
          : `Content-Type ${request.contentType.slice(0, 80)}`,
      ...(request.accepts === undefined ? {} : { wanted: request.accepts.join(' or ') }),
    })
  }
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return new BodyTooLarge({ limit: request.bodyLimit })
  const status = (error as { readonly statusCode?: unknown } | null)?.statusCode
  if (code?.startsWith('FST_') === true && typeof status === 'number' && status >= 400 && status < 500) {
    return new BadRequest({ reason: errorMessage(error) })
  }
  return error
}
