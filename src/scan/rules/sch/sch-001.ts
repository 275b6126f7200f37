import { isList, isObject, toPointer } from '../../../model/json.ts'
import type { Json } from '../../../model/json.ts'
import { schemaLimits } from '../../../model/schema/schema-limits.ts'
import { scoreOf } from '../../engine/severity.ts'
import type { DefinitionRule, Match } from '../rule.ts'

export const schemaBombRule: DefinitionRule = {
  id: 'SCH-001',
  severity: 'high',
  over: 'definition',
  title: 'Schema that costs too much',
  reason:
    'A schema of enormous size or depth, with references to other hosts or exploding patterns, stops programs.',
  remedy: 'Do not use it: ask its author for a schema of ordinary size.',
  // Made when it is asked for: the pages and tests of the rules need it, a scan does not.
  get hits() {
    return [
      { inputSchema: { type: 'object', properties: { a: { $ref: 'https://shop.dev/schema.json' } } } },
      { inputSchema: { type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } } },
      {
        inputSchema: {
          type: 'object',
          properties: Object.fromEntries(Array.from({ length: 6000 }, (_, index) => [`p${index}`, {}])),
        },
      },
    ]
  },
  misses: [
    {
      inputSchema: {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        type: 'object',
        properties: { a: { $ref: '#/$defs/a' } },
        $defs: { a: {} },
      },
    },
    { inputSchema: { type: 'object', properties: { a: { type: 'string', pattern: '^[a-z]+(-[a-z]+)*$' } } } },
  ],
  find: ({ definition }) =>
    ['inputSchema', 'outputSchema', 'requestedSchema'].flatMap((key) => checkSchema(definition[key], key)),
}

function checkSchema(schema: Json | undefined, key: string): readonly Match[] {
  if (schema === undefined) return []
  const matches: Match[] = []
  let nodes = 0
  let bytes = 0
  let isOver = false
  const walk = (node: Json, path: readonly (string | number)[], isName: boolean): void => {
    nodes++
    if (isOver) return
    if (typeof node === 'string') bytes += node.length
    if (nodes > schemaLimits.nodes || path.length > 2 * schemaLimits.depth || bytes > schemaLimits.bytes) {
      isOver = true
      return
    }
    if (isList(node)) for (const [index, item] of node.entries()) walk(item, [...path, index], false)
    else if (isObject(node))
      for (const [name, item] of Object.entries(node)) {
        bytes += name.length
        if (!isName && typeof item === 'string') matches.push(...checkKeyword(name, item, [...path, name]))
        walk(
          item,
          [...path, name],
          !isName && (name === 'properties' || name === '$defs' || name === 'definitions'),
        )
      }
  }
  walk(schema, [key], false)
  return isOver
    ? [
        ...matches,
        { score: scoreOf.high, message: 'Its schema is too large or too deep.', pointer: `/${key}` },
      ]
    : matches
}

function checkKeyword(name: string, value: string, path: readonly (string | number)[]): readonly Match[] {
  if ((name === '$ref' || name === '$dynamicRef') && /^[a-z][a-z0-9+.-]{0,20}:|^\/\//i.test(value))
    return [
      {
        score: scoreOf.high,
        message: 'Its schema refers to another host.',
        evidence: value,
        pointer: toPointer(path),
      },
    ]
  if (name === 'pattern' && mayExplode(value))
    return [
      {
        score: scoreOf.high,
        message: 'A pattern of its schema can take exponential time.',
        evidence: value,
        pointer: toPointer(path),
      },
    ]
  return []
}

/** Whether a pattern repeats a group that itself ends in a repetition of the same kind, such as `(a+)+` or `(\w*)*`. */
function mayExplode(pattern: string): boolean {
  const text = pattern.slice(0, 2000)
  return (
    /\((?:\?:)?(?:\[[^\]]{1,60}\]|\\?[\w.])[+*]\)(?:[+*]|\{\d{1,3},\d{0,4}\})/.test(text) ||
    /\((?:\?:)?([a-z.])\|\1[^()]{0,20}\)[+*]/.test(text) ||
    /\((?:\?:)?(?:\\w|\\s|\\d|\.|[a-z])[+*](?:\\s|\s)?[*?]\)[+*]/.test(text) ||
    /\((?:\?:)?[^()]{0,20}\([^()]{0,20}[+*]\)[+*]?\)[+*]/.test(text)
  )
}
