import { described, list, object, oneOf, ref, text, whole, flag } from '../../api/schema-builder.ts'
import { document } from './command-document.ts'
import type { JsonDocument } from './command-document.ts'
import { diagnostics } from './schema-parts.ts'

const difference = object({
  server: text,
  part: oneOf(
    'server',
    'declaration',
    'command',
    'package',
    'version',
    'script',
    'instructions',
    'tool',
    'prompt',
    'template',
    'app',
    'skill',
  ),
  'name?': described('Of a tool, prompt, template, app, skill or script.', text),
  change: described(
    '`unknown`: a version is locked, and which one runs on this machine is not known.',
    oneOf('added', 'removed', 'changed', 'unknown'),
  ),
  'locked?': described('A hash, or the text of a command, package or version.', text),
  'now?': text,
})

const lockedFile = object({
  file: text,
  state: described(
    '`planned` with `--dry-run`; `checked`, `absent` and `broken` with `--check` and `--frozen`.',
    oneOf('written', 'same', 'planned', 'checked', 'absent', 'broken'),
  ),
  'problem?': described(
    'Why the file that was there cannot be used.',
    object({ line: whole, message: text }),
  ),
  differences: described('Between the file that was there and what is there now.', list(difference)),
  servers: list(
    object({
      name: text,
      state: described(
        '`kept`: what was agreed on before stays, because what it offers now is not known.',
        oneOf('locked', 'kept', 'left out', 'checked'),
      ),
      'path?': described('Where its command is on this machine.', text),
      'skipped?': object({
        reason: oneOf('disabled', 'untrusted', 'differs', 'unknown', 'failed', 'held'),
        message: text,
        'exit?': text,
      }),
    }),
  ),
})

const pin = object({ name: text, from: text, to: text })
const unpinned = object({ name: text, package: text, 'version?': text, 'from?': text, 'to?': text })

/** The JSON of `lock`. */
export const lockDocuments: Readonly<Record<string, JsonDocument>> = {
  lock: document(
    { files: list(lockedFile), 'diagnostics?': diagnostics },
    {
      pinned: described('With `--pin-packages`: the arguments that name exact versions now.', list(pin)),
      unknown: described('Packages whose version is not known on this machine.', list(unpinned)),
      'dryRun?': flag,
      'changes?': list(ref('FileChange')),
      'error?': ref('Fault'),
    },
  ),
}
