import { either, list, object, ref } from '../../api/schema-builder.ts'
import type { Fields, Schema } from '../../api/schema-builder.ts'
import { version } from './schema-parts.ts'

/** What a command prints with `--json`. */
export interface JsonDocument {
  readonly schema: Schema
  /** For a stream, the schema of each line; the first line has a `version`. */
  readonly line?: Schema
}

/** With `--dry-run`, or because a confirmation is missing: what would be written. */
export const plan: Fields = {
  dryRun: { const: true },
  changes: list(ref('FileChange')),
  'error?': ref('Fault'),
}

/** A document with these fields, or the error. A document about config files may have their problems. */
export function document(...shapes: readonly Fields[]): JsonDocument {
  const documents = shapes.map((fields) => object({ version, ...fields }))
  return { schema: either(...documents, ref('Error')) }
}
