import { isObject, isStringArray } from '../../../model/json.ts'
import type { JsonObject } from '../../../model/json.ts'
import type { Os } from '../../../platform/platform.ts'
import type { DocumentCheck } from '../document-check.ts'

const versions = ['0.1', '0.2', '0.3', '0.4']
const required = ['name', 'version', 'description', 'author', 'server']
const known = new Set([
  ...required,
  '$schema',
  'manifest_version',
  'dxt_version',
  'display_name',
  'long_description',
  'repository',
  'homepage',
  'documentation',
  'support',
  'icon',
  'icons',
  'screenshots',
  'localization',
  'tools',
  'tools_generated',
  'prompts',
  'prompts_generated',
  'keywords',
  'license',
  'privacy_policies',
  'compatibility',
  'user_config',
  '_meta',
])

/** Checks a manifest. Returns the bundle's name, or `undefined` if it cannot run here, with the reasons reported. */
export function checkManifest(manifest: JsonObject, os: Os, check: DocumentCheck): string | undefined {
  const version = checkVersion(manifest, check)
  const hasVersion = manifest['manifest_version'] !== undefined || manifest['dxt_version'] !== undefined
  const missing = required.filter((key) => manifest[key] === undefined || manifest[key] === null)
  check.failMissing([...(hasVersion ? [] : ['manifest_version']), ...missing])
  for (const key of Object.keys(manifest).filter((key) => !known.has(key))) {
    check.report('unknown-key', 'warn', `"${key}" is not a manifest key; it is ignored.`, [key])
  }
  const server = manifest['server']
  if (isObject(server)) checkServer(server, version, check)
  else if (server !== undefined && server !== null)
    check.fail('wrong-type', '"server" must be an object.', ['server'])
  checkPlatform(manifest, os, check)
  const name = manifest['name']
  if (name !== undefined && typeof name !== 'string')
    check.fail('wrong-type', '"name" must be a string.', ['name'])
  return check.failed || typeof name !== 'string' ? undefined : name
}

function checkVersion(manifest: JsonObject, check: DocumentCheck): string | undefined {
  const key = ['manifest_version', 'dxt_version'].find((key) => manifest[key] !== undefined)
  if (manifest['dxt_version'] !== undefined) {
    check.report('deprecated-key', 'info', 'dxt_version is the old name of manifest_version.', [
      'dxt_version',
    ])
  }
  if (key === undefined) return undefined
  const version = manifest[key]
  if (typeof version === 'string' && versions.includes(version)) return version
  check.fail('out-of-range', `${key} must be one of ${versions.join(', ')}.`, [key])
  return undefined
}

function checkServer(server: JsonObject, version: string | undefined, check: DocumentCheck): void {
  const { type, mcp_config: config } = server
  const isAbsent = (key: string) => server[key] === undefined || server[key] === null
  if (type === 'uv' && version !== undefined && version < '0.4') {
    check.fail(
      'unsupported-transport',
      `The type "uv" needs manifest_version 0.4; with ${version} use python, node or binary.`,
      ['server', 'type'],
    )
    return
  }
  if (!isAbsent('type') && type !== 'python' && type !== 'node' && type !== 'binary' && type !== 'uv') {
    check.fail('unknown-transport', 'The type must be python, node, binary or uv.', ['server', 'type'])
    return
  }
  const needed = ['type', 'entry_point', ...(type === 'uv' ? [] : ['mcp_config'])]
  check.failMissing(needed.filter(isAbsent), ['server'])
  if (!isAbsent('entry_point') && typeof server['entry_point'] !== 'string') {
    check.fail('wrong-type', '"server.entry_point" must be a string.', ['server', 'entry_point'])
  }
  if (!isAbsent('mcp_config') && !isObject(config)) {
    check.fail('wrong-type', '"server.mcp_config" must be an object.', ['server', 'mcp_config'])
  }
}

function checkPlatform(manifest: JsonObject, os: Os, check: DocumentCheck): void {
  const compatibility = manifest['compatibility']
  const platforms = isObject(compatibility) ? compatibility['platforms'] : undefined
  if (!isStringArray(platforms) || platforms.includes(os)) return
  check.fail('not-launchable', `The bundle supports ${platforms.join(', ')}, not ${os}.`, [
    'compatibility',
    'platforms',
  ])
}
