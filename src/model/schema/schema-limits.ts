/** T23: schemas beyond these limits are neither used to check arguments nor converted. */
export const schemaLimits = {
  depth: 32,
  nodes: 5000,
  bytes: 256 * 1024,
  /** Nested references that are followed. */
  refs: 64,
  stringBytes: 32 * 1024,
} as const
