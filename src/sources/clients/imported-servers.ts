import { isObject, valueAt } from '../../model/json.ts'
import type { JsonObject } from '../../model/json.ts'
import type { Path } from '../formats/doc.ts'
import type { OpenFile } from '../source.ts'
import type { Table } from '../entries/server-tables.ts'

/** Where a client that imports others finds their servers. */
export const importRole = (kind: string): string => `import:${kind}`

/**
 * Another client's servers, as far as an importing one can use them: what has no address there means something only to
 * its owner (a switch, an override) and is passed over in silence.
 */
export function importedTable(
  file: OpenFile,
  root: JsonObject,
  path: Path,
  addresses: readonly string[],
): readonly Table[] {
  const value = valueAt(root, path)
  if (!isObject(value)) return []
  const usable = Object.entries(value).filter(
    ([, entry]) => isObject(entry) && addresses.some((key) => Object.hasOwn(entry, key)),
  )
  return usable.length > 0 ? [{ file, path, value: Object.fromEntries(usable) }] : []
}
