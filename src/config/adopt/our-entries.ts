import { isObject, valueAt } from '../../model/json.ts'
import type { JsonObject } from '../../model/json.ts'
import type { Files } from '../../platform/platform.ts'
import { openFiles } from '../../sources/open-files.ts'
import type { FileChange } from '../edit/dry-run.ts'
import type { EditTarget } from '../edit/edit-target.ts'

/** The entries of a file by name, as they are written. */
export async function entriesIn(target: EditTarget): Promise<ReadonlyMap<string, JsonObject>> {
  const { source, place, world, platform } = target
  const { files } = await openFiles([place], platform.files)
  const [file] = files
  const entries = file ? (source.writing?.(file, world).entries ?? []) : []
  return new Map(
    entries.flatMap(({ name, path }) => {
      const entry = valueAt(file?.doc.value, path)
      return isObject(entry) ? [[name, entry] as const] : []
    }),
  )
}

/** The text of a file; empty if there is none. */
export async function textNow(path: string, files: Files): Promise<string> {
  const found = await files.readText(await files.realPath(path))
  return found.kind === 'text' ? found.text : ''
}

export function changedFiles(changes: readonly FileChange[]): readonly string[] {
  return changes.filter(({ before, after }) => before !== after).map(({ file }) => file)
}
