import { HostError, isHostError } from '../../model/error.ts'
import type { Doc } from '../../sources/formats/doc.ts'
import { editorOf } from '../../sources/formats/text-editor.ts'
import type { Editor } from '../../sources/formats/text-editor.ts'
import type { FilePlace } from '../../sources/source.ts'
import type { LostField, NewServer, WriteTarget } from '../../sources/entries/write-rules.ts'
import { parseEdited, recordAddedKeys } from './added-keys.ts'
import type { EditedDocs } from './added-keys.ts'
import { literalKindsIn } from './check-server.ts'
import { editFile } from './edit-file.ts'
import { notEditableError } from './edit-target.ts'
import type { EditTarget } from './edit-target.ts'

export interface EditedServer {
  /** The file that was written: the path itself, or the target of its link. */
  readonly file: string
  readonly changed: boolean
  /** Fields that the owner's entries cannot express. */
  readonly lost: readonly LostField[]
  /** The name of the new entry, if it is not the server's: the owner of the file refuses that. */
  readonly renamed?: string
}

/** A parsed file during one edit, with the write rules of its dialect. */
export interface OpenText {
  readonly text: string
  readonly doc: Doc
  readonly editor: Editor
  readonly writing: WriteTarget
  readonly place: FilePlace
}

/** Computes the new text of a file. */
type TextEdit = (file: OpenText) => {
  readonly text: string
  readonly lost: readonly LostField[]
  /** The name of the written entry. */
  readonly name?: string
}

export async function editText(
  target: EditTarget,
  server: NewServer | undefined,
  change: TextEdit,
): Promise<EditedServer> {
  const { platform, world, place } = target
  const { writing: writingIn } = target.source
  const isShipped = place.role === 'plugin' || place.role === 'extension'
  if (!writingIn || isShipped || place.format === 'markdown') throw notEditableError(target)
  const editor = await editorOf(place.format)
  let lost: readonly LostField[] = []
  let name = server?.name
  let docs: EditedDocs | undefined
  const edited = await editFile({
    platform,
    path: place.path,
    mode: (before) => modeFor(before, server, place),
    async edit(text, isNew) {
      const doc = withFileName(place.path, () => editor.read(text))
      const writing = writingIn({ ...place, doc }, world)
      const result = withFileName(place.path, () => change({ text, doc, editor, writing, place }))
      lost = result.lost
      name = result.name ?? name
      docs = await parseEdited(text, result.text, { format: place.format, isNew })
      return result.text
    },
  })
  if (docs && edited.changed) await recordAddedKeys(edited.file, docs, platform)
  return { ...edited, lost, ...(name !== undefined && name !== server?.name && { renamed: name }) }
}

/**
 * T09: a file with a literal secret is readable by its owner only; a new shared file without one is readable by all. An
 * example text is to become a secret, but not in a shared file.
 */
function modeFor(
  before: number | undefined,
  server: NewServer | undefined,
  { authority }: FilePlace,
): number {
  const shared = authority === 'project' || authority === 'managed'
  const kinds = server ? literalKindsIn(server) : []
  const secret = shared ? kinds.includes('secret') : kinds.length > 0
  if (before !== undefined) return secret ? before & ~0o077 : before
  return shared && !secret ? 0o644 : 0o600
}

/** Adds the file to errors of the text editor, which knows only lines and columns. */
export function withFileName<T>(file: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    const isNameless = isHostError(error, 'config.invalid') && !('server' in error.data)
    if (!isNameless) throw error
    const hint = error.hint === undefined ? {} : { hint: error.hint }
    throw new HostError('config.invalid', { file }, `${file}, ${error.message}`, { cause: error, ...hint })
  }
}
