import { described, flag, list, object, oneOf, ref, text, texts } from '../../api/schema-builder.ts'
import type { Fields } from '../../api/schema-builder.ts'
import { document, plan } from './command-document.ts'

const failedClients = described(
  'With `--all`: clients that could not be planned.',
  list(object({ client: text, reason: text })),
)
const ownerOfFiles: Fields = {
  client: text,
  title: text,
  lost: list(ref('Lost')),
  writes: described('Every file that is written.', texts),
}
const adopted: Fields = {
  clients: list(
    object({
      ...ownerOfFiles,
      view: described('The view of your settings that it is offered.', text),
      moved: list(
        object({
          name: text,
          as: described('Its name in your own file.', text),
          file: text,
          isShared: described('Your own file has an equal entry already.', flag),
          toolNames: described('The names of its tools now, as a pattern.', text),
          'tools?': described(
            'The filter of its entry, now a rule of the view.',
            object({ 'allow?': texts, 'deny?': texts }),
          ),
        }),
      ),
      stays: list(object({ name: text, file: text, reason: text })),
      secrets: list(object({ server: text, store: oneOf('keychain', 'file') })),
      notes: described('What changes although no key of an entry is lost.', texts),
      kept: described('Copies of the files as they were.', list(object({ file: text, kept: text }))),
    }),
  ),
  failed: failedClients,
}
const released: Fields = {
  clients: list(
    object({
      ...ownerOfFiles,
      restored: texts,
      left: described('Servers that are not put back.', list(object({ name: text, reason: text }))),
      identical: described('Files that get back exactly the bytes they had.', texts),
      removes: described(
        'Files that are removed: copies, and files of ours that hold nothing any more.',
        texts,
      ),
      keeps: described('Copies that stay, because the file was changed since.', texts),
    }),
  ),
  failed: failedClients,
}

/** The adopted clients in the report of `doctor`. */
export const adoptedClients = described(
  'Clients whose servers are behind the gateway.',
  list(
    object({
      client: text,
      title: text,
      view: text,
      servers: texts,
      files: list(object({ file: text, isConnected: described('The file still starts the gateway.', flag) })),
    }),
  ),
)

export const adoptDocuments = {
  adopt: document(adopted, { ...adopted, ...plan }),
  release: document(released, { ...released, ...plan }),
}
