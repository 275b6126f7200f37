import { HostError, isHostError } from '../../model/error.ts'
import type { Doc } from '../../sources/formats/doc.ts'
import { editorOf } from '../../sources/formats/text-editor.ts'
import type { Editor } from '../../sources/formats/text-editor.ts'
import type { FilePlace } from '../../sources/source.ts'
import type { Lost, NewServer, WriteTarget } from '../../sources/entries/write-rules.ts'
import { holdsSecret } from './check-server.ts'
import { editFile } from './edit-file.ts'
import { notEdited } from './edit-target.ts'
import type { EditTarget } from './edit-target.ts'

export interface EditedServer {
  /** Where it was written: the file itself, or what it links to. */
  readonly file: string
  readonly changed: boolean
  /** What the owner's entries have no place for. */
  readonly lost: readonly Lost[]
}

/** A file open for one change, with what its owner’s dialect knows of it. */
export interface OpenText {
  readonly text: string
  readonly doc: Doc
  readonly editor: Editor
  readonly writing: WriteTarget
  readonly place: FilePlace
}

/** From the text as it is to the new one. */
type Edit = (file: OpenText) => { readonly text: string; readonly lost: readonly Lost[] }

export async function editText(
  target: EditTarget,
  server: NewServer | undefined,
  change: Edit,
): Promise<EditedServer> {
  const { platform, world, place } = target
  const { writing: writingIn } = target.source
  const isShipped = place.role === 'plugin' || place.role === 'extension'
  if (!writingIn || isShipped || place.format === 'markdown') throw notEdited(target)
  const editor = await editorOf(place.format)
  let lost: readonly Lost[] = []
  const edited = await editFile({
    platform,
    path: place.path,
    mode: (before) => modeFor(before, server, place),
    edit(text) {
      const doc = named(place.path, () => editor.read(text))
      const writing = writingIn({ ...place, doc }, world)
      const result = named(place.path, () => change({ text, doc, editor, writing, place }))
      lost = result.lost
      return result.text
    },
  })
  return { ...edited, lost }
}

/** T09: what holds a literal secret is for its owner alone; what a project or a machine shares is for everyone. */
function modeFor(
  before: number | undefined,
  server: NewServer | undefined,
  { authority }: FilePlace,
): number {
  const secret = server !== undefined && holdsSecret(server)
  if (before !== undefined) return secret ? before & ~0o077 : before
  const shared = authority === 'project' || authority === 'managed'
  return shared && !secret ? 0o644 : 0o600
}

/** An editor knows lines; the file they are in is known here. */
export function named<T>(file: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    const isNameless = isHostError(error, 'config.invalid') && !('server' in error.data)
    if (!isNameless) throw error
    const hint = error.hint === undefined ? {} : { hint: error.hint }
    throw new HostError('config.invalid', { file }, `${file}, ${error.message}`, { cause: error, ...hint })
  }
}
