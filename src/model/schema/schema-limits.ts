/** T23: a schema of a server that is larger than this is neither checked against nor converted. */
export const schemaLimits = {
  depth: 32,
  nodes: 5000,
  bytes: 256 * 1024,
  /** References followed one inside the other. */
  refs: 64,
  stringBytes: 32 * 1024,
} as const
