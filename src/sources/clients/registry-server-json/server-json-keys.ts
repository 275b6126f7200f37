import { isObject } from '../../../model/json.ts'
import type { Json, JsonObject } from '../../../model/json.ts'
import type { DocumentCheck } from '../document-check.ts'
import type { Path } from '../../formats/doc.ts'

/** The spellings before 2025-09-16, which the registry no longer accepts. */
const oldKeys: Readonly<Record<string, string>> = {
  registry_type: 'registryType',
  registry_name: 'registryType',
  registry_base_url: 'registryBaseUrl',
  file_sha256: 'fileSha256',
  runtime_hint: 'runtimeHint',
  runtime_arguments: 'runtimeArguments',
  package_arguments: 'packageArguments',
  environment_variables: 'environmentVariables',
  transport_type: 'type',
  is_required: 'isRequired',
  is_secret: 'isSecret',
  is_repeated: 'isRepeated',
  value_hint: 'valueHint',
  website_url: 'websiteUrl',
}

export function reportOldKeys(value: Json, path: Path, check: DocumentCheck): void {
  if (Array.isArray(value)) {
    for (const [index, item] of (value as readonly Json[]).entries())
      reportOldKeys(item, [...path, index], check)
  }
  if (!isObject(value)) return
  for (const [key, item] of Object.entries(value)) {
    const current = oldKeys[key]
    if (current !== undefined) check.fail('deprecated-key', `${key} is now ${current}.`, [...path, key])
    reportOldKeys(item, [...path, key], check)
  }
}

export function reportKeys(
  object: JsonObject,
  path: Path,
  known: readonly string[],
  check: DocumentCheck,
): void {
  for (const key of Object.keys(object)) {
    if (known.includes(key) || Object.hasOwn(oldKeys, key)) continue
    check.report('unknown-key', 'warn', `"${key}" is not a server.json key; it is ignored.`, [...path, key])
  }
}

/** Whether a key is present in either spelling. */
export function hasKey(object: JsonObject, key: string): boolean {
  const isSet = (name: string) => object[name] !== undefined && object[name] !== null
  return isSet(key) || Object.entries(oldKeys).some(([old, current]) => current === key && isSet(old))
}

/** A string value; empty if it is not one. */
export function textIn(object: JsonObject, key: string): string {
  const value = object[key]
  return typeof value === 'string' ? value : ''
}

export function isVersionRange(version: string): boolean {
  return /^[\^~<>=]|\|\||\s-\s|\s[<>=]|^\*$|(^|\.)[xX*](\.|$)/.test(version)
}
