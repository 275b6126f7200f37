import { parse } from 'smol-toml'
import { maxDepth, toPlain, withoutBom } from './doc.ts'
import type { Doc, Position } from './doc.ts'
import { readPlainToml } from './plain-toml.ts'
import { createTomlPlaces } from './toml-places.ts'

/** Tries the quick reader first; smol-toml reads everything else and reports errors. */
export function parseToml(source: string): Doc {
  const text = withoutBom(source)
  const forbidden: string[] = []
  const base = { format: 'toml', relaxed: [], duplicates: [], forbidden } as const
  try {
    const value = readPlainToml(text) ?? toPlain(parse(text, { maxDepth }), forbidden)
    return { ...base, value, errors: [], position: createTomlPlaces(text) }
  } catch (error) {
    const place = placeOf(error)
    return {
      ...base,
      value: undefined,
      errors: [{ message: factOf(error), ...place }],
      position: () => place,
    }
  }
}

/** Reduces smol-toml's `Invalid TOML document: <fact>. <remark>` and its excerpt of the text to the fact. */
function factOf(error: unknown): string {
  const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n')
  return line.replace(/^Invalid TOML document: /, '').replace(/\.(?: .*)?$/, '')
}

function placeOf(error: unknown): Position {
  const { line, column } = error as { line?: unknown; column?: unknown } // TomlError carries both
  return {
    line: typeof line === 'number' ? line : 1,
    column: typeof column === 'number' ? column : 1,
  }
}
