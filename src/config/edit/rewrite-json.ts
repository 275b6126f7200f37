import { HostError } from '../../model/error.ts'
import { isObject } from '../../model/json.ts'
import type { JsonObject } from '../../model/json.ts'
import { nodePlatform } from '../../platform/node/node-platform.ts'
import type { Platform } from '../../platform/platform.ts'
import { withFileName } from './edit-source-file.ts'
import { editorOf } from '../../sources/formats/text-editor.ts'
import type { Editor } from '../../sources/formats/text-editor.ts'
import { mergeValue } from './merge-entry.ts'
import { editFile } from './edit-file.ts'
import type { EditedFile } from './edit-file.ts'

export interface RewriteOptions {
  readonly platform?: Partial<Platform>
}

/** Reads a JSON file that may have comments. Returns an empty object if there is no file; invalid JSON is an error. */
export async function readJson(file: string, { platform }: RewriteOptions = {}): Promise<JsonObject> {
  const editor = await editorOf('json')
  const found = await nodePlatform(platform).files.readText(file)
  if (found.kind === 'absent') return {}
  if (found.kind === 'problem') throw new HostError('config.invalid', { file }, found.message)
  return objectIn(file, found.text, editor)
}

/**
 * Changes a JSON file. Only differing keys are rewritten, so comments and order survive. `change` is applied to the
 * content at the moment of writing, so changes of other writers are kept (T09).
 */
export async function rewriteJson(
  file: string,
  change: (value: JsonObject) => JsonObject,
  { platform }: RewriteOptions = {},
): Promise<EditedFile> {
  const editor = await editorOf('json')
  return editFile({
    platform: nodePlatform(platform),
    path: file,
    edit(text) {
      const before = objectIn(file, text, editor)
      const after = change(before)
      return withFileName(file, () => mergeValue(text, [], before, after, editor))
    },
  })
}

function objectIn(file: string, text: string, editor: Editor): JsonObject {
  const value = withFileName(file, () => editor.read(text)).value ?? {}
  if (isObject(value)) return value
  throw new HostError('config.invalid', { file }, `${file} does not hold an object.`)
}
