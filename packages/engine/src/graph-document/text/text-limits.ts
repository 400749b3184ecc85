/** Of a text, with all its documents. */
export const MOST_TEXT_BYTES = 32 * 1_048_576
/** YAML needs a hundred times the memory of its text while it is read. */
export const MOST_YAML_BYTES = 10 * 1_048_576
/** Of one document, as JSON. */
export const MOST_DOCUMENT_BYTES = 10 * 1_048_576
export const MOST_DOCUMENTS = 1_000
/** What a graph document may be at most, see `validateStructure`. */
export const DEEPEST = 400
/** Anchors are a convenience for people: nobody writes this many by hand. */
export const MOST_ALIASES = 100
/** Values that aliases repeat, in all. Ten aliases that nest can repeat billions. */
export const MOST_REPEATED = 100_000
