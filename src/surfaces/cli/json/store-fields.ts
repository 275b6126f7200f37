import { anything, described, list, map, object, oneOf, text, whole } from './schema-builder.ts'
import type { Fields } from './schema-builder.ts'

// What `conversations` and `store` print.

export const conversation: Fields = {
  id: text,
  title: text,
  cwd: described('The folder whose servers, trust and roots apply.', text),
  'agent?': text,
  'model?': text,
  createdAt: text,
  updatedAt: text,
  length: described('The number of its messages.', whole),
}

export const wholeConversation: Fields = {
  ...conversation,
  messages: list(
    object({
      seq: whole,
      role: text,
      content: described('As the AI SDK writes it: a text, or a list of parts.', anything),
      at: text,
    }),
  ),
}

export const prunedRows: Fields = { before: text, conversations: whole, questions: whole, calls: whole }

export const storeStatus: Fields = {
  driver: oneOf('node:sqlite', 'libsql', 'pg'),
  place: described('The file, or the address without its password.', text),
  step: described('The last step of its tables.', text),
  'bytes?': whole,
  rows: map(whole),
}
