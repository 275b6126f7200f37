import { document } from './command-document.ts'
import type { JsonDocument } from './command-document.ts'
import { anything, described, flag, list, object, oneOf, text } from '../../api/schema-builder.ts'

/** The JSON of the commands about questions. */
export const questionDocuments: Readonly<Record<string, JsonDocument>> = {
  questions: document({
    questions: list(
      object({
        id: text,
        kind: oneOf('approval', 'login', 'elicitation', 'url', 'sampling'),
        'server?': text,
        'conversation?': text,
        asked: described('What it asks, by its kind, without secrets.', anything),
        state: oneOf('pending', 'expired'),
        canWait: described('It can be asked again, so it outlives the program that asked.', flag),
        isWaiting: described(
          'A program waits for the answer; otherwise it counts when the same is asked again.',
          flag,
        ),
        askedAt: text,
        'settledAt?': text,
      }),
    ),
  }),
  answer: document({
    id: text,
    kind: text,
    answer: described('The decision: `once`, `no`, `accept`, …', text),
  }),
}
