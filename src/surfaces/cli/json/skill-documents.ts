import { described, flag, list, object, ref, text, whole } from '../../api/schema-builder.ts'
import type { Fields } from '../../api/schema-builder.ts'
import { document } from './command-document.ts'
import type { JsonDocument } from './command-document.ts'
import { diagnostics, marks } from './schema-parts.ts'

const problems: Fields = { 'diagnostics?': diagnostics }

const skill: Fields = {
  ref: described('`server/name`, or `server/uri` if the server has several of this name.', text),
  server: text,
  name: text,
  description: text,
  uri: described('Of its SKILL.md.', text),
  'files?': described('Absent for a dynamic skill.', list(object({ path: text, size: whole, digest: text }))),
  bytes: whole,
  isDynamic: described('Its server does not say which files it has: each load is asked.', flag),
  hash: described('Of its front matter and the set of its files with their digests.', text),
}

export const skillDocuments: Readonly<Record<string, JsonDocument>> = {
  'skills list': document({ skills: list(object(skill)), missing: list(ref('Missing')), ...problems }),
  'skills show': document({ ...skill, text, ...marks, ...problems }),
  'skills read': document(
    {
      uri: text,
      path: text,
      bytes: whole,
      'text?': text,
      'blob?': described('Base64, for a file that is not text.', text),
      ...problems,
    },
    { uri: text, file: described('The file of `--output`.', text), bytes: whole, ...problems },
  ),
}
