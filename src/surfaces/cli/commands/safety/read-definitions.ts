import { basename } from 'node:path'
import type { Json, JsonObject } from '../../../../index.ts'
import { isObject } from '../../../../internal.ts'
import type { ServerOffers } from '../../../../scan.ts'

/** Reads definitions from a text: a list of tools, the result of `tools/list`, or an object with several lists. */
export function readDefinitions(file: string, text: string): ServerOffers | undefined {
  const value = parse(text)
  const inner = isObject(value) && isObject(value['result']) ? value['result'] : value
  const fields: JsonObject = Array.isArray(inner)
    ? { tools: inner as readonly Json[] }
    : isObject(inner)
      ? inner
      : {}
  const listOf = (key: string) => {
    const list = fields[key]
    return Array.isArray(list) ? (list as readonly Json[]).filter(isObject) : []
  }
  const { instructions } = fields
  const offers = {
    server: file === '-' ? 'stdin' : basename(file).replace(/\.json$/, ''),
    tools: listOf('tools'),
    prompts: listOf('prompts'),
    resources: listOf('resources'),
    resourceTemplates: listOf('resourceTemplates'),
    skills: listOf('skills'),
    ...(typeof instructions === 'string' && { instructions }),
  }
  const isEmpty = Object.values(offers).every((list) => typeof list === 'string' || list.length === 0)
  return isEmpty && instructions === undefined ? undefined : offers
}

function parse(text: string): Json {
  try {
    return JSON.parse(text) as Json
  } catch {
    return null
  }
}
