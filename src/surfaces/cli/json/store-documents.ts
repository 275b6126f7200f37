import { document } from './command-document.ts'
import type { JsonDocument } from './command-document.ts'
import {
  anything,
  described,
  either,
  flag,
  list,
  map,
  object,
  oneOf,
  openObject,
  ref,
  text,
  texts,
  whole,
} from '../../api/schema-builder.ts'
import type { Fields } from '../../api/schema-builder.ts'
import { version } from './schema-parts.ts'

const conversation: Fields = {
  id: text,
  title: text,
  cwd: described('The folder whose servers, trust and roots apply.', text),
  'agent?': text,
  'model?': text,
  createdAt: text,
  updatedAt: text,
  length: described('The number of its messages.', whole),
}

const wholeConversation: Fields = {
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

const prunedRows: Fields = { before: text, conversations: whole, questions: whole, calls: whole }

const storeStatus: Fields = {
  driver: oneOf('node:sqlite', 'libsql', 'pg'),
  place: described('The file, or the address without its password.', text),
  step: described('The last step of its tables.', text),
  'bytes?': whole,
  rows: map(whole),
}

/** The JSON of the commands about what is kept. */
export const storeDocuments: Readonly<Record<string, JsonDocument>> = {
  'conversations list': document({ conversations: list(object(conversation)), hasMore: flag }),
  'conversations show': document(wholeConversation),
  'conversations export': document(wholeConversation, {
    id: text,
    file: described('The file that was written.', text),
  }),
  'conversations delete': document({
    deleted: described('The ids.', texts),
    'error?': described('Why nothing was deleted.', ref('Fault')),
  }),
  switch: document({
    server: text,
    on: flag,
    conversation: text,
    'tokens?': described('About how many its tools take in every request, if they are known.', whole),
  }),
  'store status': document({ store: either({ type: 'null' }, object(storeStatus)) }),
  'store backup': document({ file: text }),
  'store export': {
    ...document(),
    line: either(object({ 'version?': version, table: text, row: openObject }), ref('Error')),
  },
  'store prune': document(prunedRows, {
    ...prunedRows,
    dryRun: { const: true },
    'error?': ref('Fault'),
  }),
  audit: document(
    { rows: list(openObject) },
    { before: text, removed: whole, 'dryRun?': { const: true }, 'error?': ref('Fault') },
    {
      isWhole: described('Whether no row was changed or removed.', flag),
      rows: whole,
      writers: whole,
      'head?': described('The newest row.', object({ writer: text, seq: whole, hash: text, at: text })),
      'pruned?': described(
        'What checkpoints say was removed by `audit --prune`, and the latest time before which.',
        object({ rows: whole, before: text }),
      ),
      'open?': described(
        'Writers without a closing row: their program still runs, or was killed and may have lost its last rows.',
        list(object({ writer: text, seq: whole, at: text })),
      ),
      problems: list(object({ kind: text, writer: text, seq: whole, message: text })),
    },
  ),
}
