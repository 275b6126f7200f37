import { described, list, map, object, oneOf, ref, text, whole } from '../../api/schema-builder.ts'
import { document } from './command-document.ts'
import type { JsonDocument } from './command-document.ts'
import { diagnostics, findingFields, withheld } from './schema-parts.ts'

/** The JSON of `scan`. */
export const scanDocuments: Readonly<Record<string, JsonDocument>> = {
  scan: document({
    findings: list(ref('Finding')),
    ignored: described(
      'Findings that `scan.ignore` in your settings leaves out.',
      list(object({ ...findingFields, reason: text })),
    ),
    totals: described('By severity.', map(whole)),
    servers: list(
      object({
        name: text,
        scanned: oneOf('declaration and offers', 'declaration', 'file'),
        'error?': described('Why it was not asked what it offers.', ref('Fault')),
      }),
    ),
    rulesVersion: text,
    'withheld?': withheld,
    'diagnostics?': diagnostics,
  }),
}
