/** Appends segments to an RFC 6901 pointer. */
export function pointerTo(base: string, ...segments: readonly (string | number)[]): string {
  return segments.reduce<string>((path, segment) => `${path}/${escapeSegment(String(segment))}`, base)
}

export function pointerSegments(pointer: string): readonly string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'))
}

const escapeSegment = (segment: string): string => segment.replaceAll('~', '~0').replaceAll('/', '~1')
