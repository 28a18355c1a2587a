/**
 * Limits for a rendered source. The zone rejects what exceeds them; the operator disconnects a zone that does not. In a file without
 * imports, because the image contains it for programs, without the schemas of messages.
 */
export const renderLimits = {
  objects: 10_000,
  /** Bytes of canonical JSON of one object. The API server accepts no larger one. */
  objectBytes: 1.5 * 2 ** 20,
  /** Bytes of canonical JSON of all objects. */
  bytes: 64 * 2 ** 20,
  /** Nesting depth of lists and objects. */
  depth: 200,
  /** Values of one object, so that parsing takes a few milliseconds. */
  values: 250_000,
  /** Keys of all its maps. A key that occurs once takes as long to parse as ten values. */
  keys: 50_000,
  originCharacters: 1_000,
  /** Dependencies between objects, and bytes of one item that contains some of them. */
  edges: 100_000,
  edgeBytes: 65_536,
  /** Bytes of JSON of paths and warnings, and the number of its values. */
  detailBytes: 2 ** 20,
  detailValues: 2_100,
} as const;
