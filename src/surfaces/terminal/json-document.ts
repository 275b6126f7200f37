import { escapeJson } from './escape.ts'

/** The version of every JSON document; raised when a field is removed or changes its meaning. */
const documentVersion = 1

/** The fields of a JSON document besides its `version`. */
export type DocumentFields = Readonly<Record<string, unknown>> & { readonly version?: never }

/** `document`: one indented object. `lines`: a stream of objects, one per line. */
export type JsonForm = 'document' | 'lines'

/**
 * Writes JSON documents: objects with a `version`; in a stream, only the first line has it. The text can be shown in a
 * terminal: control characters and hidden ones are \uXXXX.
 */
export function createDocumentWriter(form: JsonForm): (fields: DocumentFields) => string {
  let isContinued = false
  return (fields) => {
    const document = isContinued ? fields : { version: documentVersion, ...fields }
    isContinued = form === 'lines'
    return escapeJson(JSON.stringify(document, undefined, form === 'lines' ? undefined : 2))
  }
}
