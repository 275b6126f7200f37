import { parseDocument } from 'yaml'
import { isEqual, isForbiddenKey, isObject } from '../../model/json.ts'
import type { Json, JsonObject } from '../../model/json.ts'

export interface SkillText {
  readonly frontmatter: JsonObject
  /** What follows the front matter. */
  readonly body: string
}

/** Deeper or longer front matter is not read: it is a few lines in every real skill. */
const maxLength = 64 * 1024
const maxAliases = 50

/** Splits a SKILL.md and reads its front matter as YAML 1.2 with the core schema; undefined if it has none that can be read. */
export function readSkillText(text: string): SkillText | undefined {
  const plain = text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n')
  const [, yaml = '', body = ''] = /^---[\t ]*\n([\s\S]*?)^---[\t ]*$\n?([\s\S]*)$/m.exec(plain) ?? []
  if (!plain.startsWith('---') || yaml === '' || yaml.length > maxLength) return undefined
  try {
    const document = parseDocument(yaml, { version: '1.2', schema: 'core', logLevel: 'silent' })
    if (document.errors.length > 0) return undefined
    const value: unknown = document.toJS({ maxAliasCount: maxAliases })
    const frontmatter = toJson(value)
    return isObject(frontmatter) ? { frontmatter, body } : undefined
  } catch {
    return undefined
  }
}

/** A copy that is JSON; throws for anything that JSON does not have. */
function toJson(value: unknown): Json {
  if (Array.isArray(value)) return value.map(toJson)
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'number' && Number.isFinite(value)) return value
  if (typeof value !== 'object') throw new TypeError('not JSON')
  const entries = Object.entries(value)
  if (entries.some(([key]) => isForbiddenKey(key))) throw new TypeError('not JSON')
  return Object.fromEntries(entries.map(([key, item]) => [key, toJson(item)]))
}

/** The fields in which two front matters differ. */
export function differingFields(listed: JsonObject, read: JsonObject): readonly string[] {
  const keys = [...new Set([...Object.keys(listed), ...Object.keys(read)])].sort()
  const own = (object: JsonObject, key: string) => (Object.hasOwn(object, key) ? object[key] : undefined)
  return keys.filter((key) => !isEqual(own(listed, key), own(read, key)))
}
