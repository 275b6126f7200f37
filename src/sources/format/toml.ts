import { parse } from 'smol-toml'
import { parseTOML } from 'toml-eslint-parser'
import { fromPointer, toPointer } from '../../model/json.ts'
import { toPlain, withoutBom } from './doc.ts'
import type { Doc, Position } from './doc.ts'

/** Values come from smol-toml, which is fast; places from a second parser, which runs only when somebody asks. */
export function parseToml(source: string): Doc {
  const text = withoutBom(source)
  const forbidden: string[] = []
  const base = { format: 'toml', relaxed: [], duplicates: [], forbidden } as const
  try {
    const value = toPlain(parse(text), forbidden)
    let places: ReadonlyMap<string, Position> | undefined
    const position = (pointer: string) => nearest((places ??= indexPlaces(text)), pointer)
    return { ...base, value, errors: [], position }
  } catch (error) {
    const place = placeOf(error)
    const message = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error)
    return { ...base, value: undefined, errors: [{ message, ...place }], position: () => place }
  }
}

function placeOf(error: unknown): Position {
  const { line, column } = error as { line?: unknown; column?: unknown } // TomlError carries both
  return {
    line: typeof line === 'number' ? line : 1,
    column: typeof column === 'number' ? column : 1,
  }
}

function nearest(places: ReadonlyMap<string, Position>, pointer: string): Position {
  const path = fromPointer(pointer)
  for (let length = path.length; length > 0; length--) {
    const place = places.get(toPointer(path.slice(0, length)))
    if (place) return place
  }
  return { line: 1, column: 1 }
}

type TomlNode = ReturnType<typeof parseTOML>['body'][number]['body'][number]

function indexPlaces(text: string): ReadonlyMap<string, Position> {
  const places = new Map<string, Position>()
  const note = (path: readonly (string | number)[], node: { loc: { start: Position } }) => {
    const pointer = toPointer(path)
    const { line, column } = node.loc.start
    if (!places.has(pointer)) places.set(pointer, { line, column: column + 1 })
  }
  const visit = (node: TomlNode, table: readonly (string | number)[]) => {
    if (node.type === 'TOMLTable') {
      note(node.resolvedKey, node)
      for (const child of node.body) visit(child, node.resolvedKey)
      return
    }
    const keys = node.key.keys.map((key) => (key.type === 'TOMLBare' ? key.name : key.value))
    const path = [...table, ...keys]
    note(path, node)
    if (node.value.type === 'TOMLInlineTable') for (const child of node.value.body) visit(child, path)
    if (node.value.type === 'TOMLArray') {
      for (const [index, element] of node.value.elements.entries()) note([...path, index], element)
    }
  }
  try {
    for (const node of parseTOML(text).body[0].body) visit(node, [])
  } catch {
    // What only the first parser accepts has no places; its values still count.
  }
  return places
}
