import { acceptanceFacts, heldFacts, removedFacts } from '../../api/lock-routes.ts'
import { described, list, object, oneOf, text, texts } from '../../api/schema-builder.ts'
import { document } from './command-document.ts'
import type { JsonDocument } from './command-document.ts'
import { diagnostics, withheld } from './schema-parts.ts'

/** The JSON of `review`. */
export const reviewDocuments: Readonly<Record<string, JsonDocument>> = {
  review: document({
    held: list(heldFacts),
    removed: list(removedFacts),
    unasked: described('Servers that could not be asked what they offer.', texts),
    'decided?': list(
      object({
        server: text,
        kind: text,
        name: text,
        hash: text,
        decision: oneOf('accepted', 'rejected', 'forgotten'),
      }),
    ),
    acceptance: acceptanceFacts,
    'withheld?': withheld,
    'diagnostics?': diagnostics,
  }),
}
