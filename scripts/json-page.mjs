const width = 120

/** The introduction and the lines of docs/reference/json.md. */
export function jsonPage({ jsonDocuments, jsonSchema }) {
  const { $schema: dialect, $defs } = jsonSchema()
  const commands = Object.entries(jsonDocuments)
  const documents = new Set(commands.flatMap(([command]) => [nameOf(command), `${nameOf(command)}-line`]))
  const parts = Object.entries($defs).filter(([name]) => !documents.has(name))
  const intro =
    'With `--json` every command prints one object on stdout, also if it fails or finds nothing. `version` is 1; it is raised when a field is removed or changes its meaning. ' +
    'New fields may be added without that: ignore the fields you do not know. A stream (`logs --follow`, `run`) is one object per line; the first has the `version`.\n\n' +
    'Below is the JSON Schema of what each command prints. If it fails, it prints the [`Error`](#error) instead. What several documents have in common is at the end, under ' +
    '[parts](#parts). [json.schema.json](json.schema.json) has all of it for programs: what `sources enable` prints is `#/$defs/sources-enable` there. ' +
    `The dialect is ${dialect}.`
  const lines = [
    ...commands.flatMap(([command, document]) => [`## ${command}`, '', ...section(document)]),
    '## Parts',
    '',
    ...parts.flatMap(([name, schema]) => [`### ${name}`, '', ...block(schema)]),
  ]
  return [intro, lines.slice(0, -1)]
}

function nameOf(command) {
  return command.replaceAll(' ', '-')
}

function section({ schema, line }) {
  const shapes = resultsOf(schema)
  if (shapes.length === 0 && !line) return ['It has no result.', '']
  const results = shapes.flatMap((each, at) => [...(at === 0 ? [] : ['or', '']), ...block(each)])
  const stream = line
    ? resultsOf(line).flatMap((each) => [
        shapes.length === 0 ? 'A stream; each line:' : 'With `--follow`, each line:',
        '',
        ...block(each),
      ])
    : []
  return [...results, ...stream]
}

/** The alternatives of a document, without the error that every command may print. */
function resultsOf({ anyOf }) {
  return anyOf.filter(({ $ref }) => $ref !== '#/$defs/Error')
}

function block(value) {
  return ['```json', shortJson(value), '```', '']
}

/** JSON with each list and object on one line where it fits. */
export function shortJson(value, indent = '') {
  const line = oneLine(value)
  if (typeof value !== 'object' || value === null || indent.length + line.length <= width) return line
  const inner = `${indent}  `
  if (Array.isArray(value) && value.every((item) => typeof item === 'string'))
    return `[\n${fill(value.map(oneLine), inner)}\n${indent}]`
  const items = Array.isArray(value)
    ? value.map((item) => inner + shortJson(item, inner))
    : Object.entries(value).map(([key, item]) => `${inner}${JSON.stringify(key)}: ${shortJson(item, inner)}`)
  const [start, end] = Array.isArray(value) ? '[]' : '{}'
  return `${start}\n${items.join(',\n')}\n${indent}${end}`
}

/** The items in lines of at most `width` characters. */
function fill(items, indent) {
  const lines = [indent]
  for (const [at, item] of items.entries()) {
    const text = at === items.length - 1 ? item : `${item},`
    if (lines.at(-1).length + text.length > width) lines.push(indent)
    lines.push(`${lines.pop()}${text} `)
  }
  return lines.map((line) => line.trimEnd()).join('\n')
}

function oneLine(value) {
  if (Array.isArray(value)) return `[${value.map(oneLine).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const fields = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${oneLine(item)}`)
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`
}
