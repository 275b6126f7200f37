import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { ValidateFunction } from 'ajv/dist/2020.js'

/** The published schema of what commands print with `--json`. */
export const publishedSchema = JSON.parse(
  readFileSync(new URL('../../docs/reference/json.schema.json', import.meta.url), 'utf8'),
) as { readonly $defs: Readonly<Record<string, object>> }

let ajv: Ajv2020 | undefined

function validatorOf(name: string): ValidateFunction {
  ajv ??= new Ajv2020({ allErrors: true, strict: true }).addSchema(publishedSchema, 'json')
  const found = ajv.getSchema(`json#/$defs/${name}`)
  if (!found) throw new Error(`docs/reference/json.schema.json has no ${name}`)
  return found
}

const aliases: Readonly<Record<string, string>> = {
  ls: 'list',
  rm: 'remove',
  reauth: 'login',
  unauth: 'logout',
  sources: 'sources-list',
  models: 'models-list',
  skills: 'skills-list',
}

/** The name of the schema for a command line; an unknown command prints an error. */
export function schemaNameOf(words: readonly string[]): string {
  const [first = '', second = ''] = words
  const both = `${first}-${second}`
  const name = Object.hasOwn(publishedSchema.$defs, both) ? both : (aliases[first] ?? first)
  return Object.hasOwn(publishedSchema.$defs, name) ? name : 'Error'
}

/** Where a value differs from a schema; empty if it does not. */
export function differences(name: string, value: unknown): readonly string[] {
  const validate = validatorOf(name)
  if (validate(value)) return []
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath} ${message ?? ''} ${JSON.stringify(params)}`,
  )
}

/** Parses the document of a command line and checks it against the published schema. */
export function parseChecked(words: readonly string[], text: string): object {
  const document = JSON.parse(text) as object // the schemas describe objects only
  const found = differences(schemaNameOf(words), document)
  if (found.length > 0) throw new Error(`${words.join(' ')}: ${found.join('\n')}\n${text}`)
  return document
}
