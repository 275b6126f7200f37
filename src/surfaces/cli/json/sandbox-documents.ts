import {
  described,
  either,
  flag,
  list,
  number,
  object,
  orNull,
  ref,
  text,
  texts,
  whole,
} from '../../api/schema-builder.ts'
import { document } from './command-document.ts'
import type { JsonDocument } from './command-document.ts'
import { diagnostics } from './schema-parts.ts'

const runner = described(
  'As an entry writes it.',
  either(
    text,
    object({
      use: text,
      'image?': text,
      'read?': texts,
      'write?': texts,
      'network?': flag,
      'memory?': text,
      'cpus?': number,
      'pids?': whole,
    }),
  ),
)
const folders = list(object({ folder: text, files: whole }))

/** The JSON of `sandbox`. */
export const sandboxDocuments: Readonly<Record<string, JsonDocument>> = {
  sandbox: document(
    {
      name: text,
      runner: described('`null`: it runs without a box.', orNull(runner)),
      lines: list(object({ text, isWarning: flag })),
      'error?': described('Why it was not observed.', ref('Fault')),
      'diagnostics?': diagnostics,
    },
    {
      name: text,
      tools: described('How many it lists.', whole),
      'call?': object({ tool: text, failed: flag }),
      read: folders,
      write: folders,
      hosts: list(object({ 'name?': text, address: text, port: whole })),
      runner,
      notes: described('What the box would not have.', texts),
      'file?': described('With `--write`: the file of its entry.', text),
      'changed?': flag,
      'dryRun?': flag,
      'changes?': list(ref('FileChange')),
      'error?': described('Why nothing was written.', ref('Fault')),
      'diagnostics?': diagnostics,
    },
  ),
}
