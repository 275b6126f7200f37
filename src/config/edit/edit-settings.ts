import { dirname } from 'node:path'
import { isEqual, isStringArray, valueAt } from '../../model/json.ts'
import type { Json } from '../../model/json.ts'
import type { Platform } from '../../platform/platform.ts'
import { editorOf } from '../../sources/formats/text-editor.ts'
import { knownSource, platformOf } from '../discover-options.ts'
import type { DiscoverOptions } from '../discover-options.ts'
import { settingsFile } from '../settings.ts'
import { editFile } from './edit-file.ts'
import type { EditedFile } from './edit-file.ts'

/** Adds an item to a list of the settings or removes it. The list is read under the lock, so concurrent edits are kept. */
export async function editSettings(
  platform: Platform,
  key: 'disabledServers' | 'sources',
  item: string,
  isOn: boolean,
): Promise<EditedFile> {
  const path = settingsFile(platform)
  const editor = await editorOf('json')
  await platform.files.makePrivateDirectory(dirname(path))
  return editFile({
    platform,
    path,
    edit(text) {
      const found = valueAt(editor.read(text).value, [key])
      const before = isStringArray(found) ? found : []
      if (before.includes(item) === isOn) return text
      return editor.setIn(text, [key], isOn ? [...before, item] : before.filter((each) => each !== item))
    },
  })
}

/** Changes one value of the settings; `undefined` removes it. It is read under the lock, so concurrent edits are kept. */
export async function editSetting(
  platform: Platform,
  path: readonly string[],
  change: (before: Json | undefined) => Json | undefined,
): Promise<EditedFile> {
  const file = settingsFile(platform)
  const editor = await editorOf('json')
  await platform.files.makePrivateDirectory(dirname(file))
  return editFile({
    platform,
    path: file,
    edit(text) {
      const before = valueAt(editor.read(text).value, path)
      const after = change(before)
      if (isEqual(before, after)) return text
      return after === undefined ? editor.removeIn(text, path) : editor.setIn(text, path, after)
    },
  })
}

/** Enables or disables a source in the settings: whether the servers of that client are used. */
export async function setSourceEnabled(
  id: string,
  on: boolean,
  options: DiscoverOptions = {},
): Promise<{ readonly changed: boolean; readonly file: string }> {
  return editSettings(await platformOf(options), 'sources', knownSource(id), on)
}
