import { isObject, valueAt } from '../../model/json.ts'
import type { JsonObject } from '../../model/json.ts'
import type { Path } from '../formats/doc.ts'
import type { OpenFile } from '../source.ts'
import type { Table } from '../entries/server-tables.ts'

/** The role of a file that is imported from another client. */
export const importRole = (kind: string): string => `import:${kind}`

/**
 * Another client's servers that an importing client can use. Entries without an endpoint (a switch, an override) have a
 * meaning only for the other client and are skipped without a report.
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
