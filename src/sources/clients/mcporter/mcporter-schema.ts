import { isObject, isStringArray, toPointer } from '../../../model/json.ts'
import type { Json, JsonObject } from '../../../model/json.ts'
import type { DiagnosticCode } from '../../../model/diagnostic.ts'
import type { Path } from '../../formats/doc.ts'
import type { OpenFile, Report } from '../../source.ts'
import type { Table } from '../../entries/server-tables.ts'

interface Shape {
  readonly wanted: string
  readonly accepts: (value: Json) => boolean
}

const isString = (value: Json): value is string => typeof value === 'string'
const isStringMap = (value: Json) => isObject(value) && Object.values(value).every(isString)

const text: Shape = { wanted: 'a string', accepts: isString }
const list: Shape = { wanted: 'a list of strings', accepts: isStringArray }
const map: Shape = { wanted: 'an object of strings', accepts: isStringMap }
const flag: Shape = { wanted: 'true or false', accepts: (value) => typeof value === 'boolean' }
const object: Shape = { wanted: 'an object', accepts: isObject }
const command: Shape = {
  wanted: 'a string or a list of strings',
  accepts: (value) => isString(value) || isStringArray(value),
}
const protocols = ['auto', 'legacy', '2026-07-28']
const protocol: Shape = {
  wanted: `one of ${protocols.join(', ')}`,
  accepts: (value) => isString(value) && protocols.includes(value),
}
const modes = ['keep-alive', 'ephemeral']
const isMode = (value: Json | undefined) => typeof value === 'string' && modes.includes(value)
const lifecycle: Shape = {
  wanted: '"keep-alive", "ephemeral", or an object with such a "mode"',
  accepts: (value) => isMode(value) || (isObject(value) && isMode(value['mode'])),
}

/** Every key of an entry in camel case; each may also be in snake case. */
const shapes: Readonly<Record<string, Shape>> = {
  description: text,
  baseUrl: text,
  url: text,
  serverUrl: text,
  command,
  executable: text,
  args: list,
  cwd: text,
  env: map,
  headers: map,
  auth: text,
  tokenCacheDir: text,
  clientName: text,
  oauthClientId: text,
  oauthClientSecret: text,
  oauthClientSecretEnv: text,
  oauthTokenEndpointAuthMethod: text,
  oauthRedirectUrl: text,
  oauthScope: text,
  oauthCommand: object,
  bearerToken: text,
  bearerTokenEnv: text,
  refresh: object,
  manual: flag,
  manualRedirectUri: text,
  httpFetch: text,
  protocolVersion: protocol,
  lifecycle,
  logging: object,
  allowedTools: list,
  blockedTools: list,
}

/** `baseUrl` → `baseUrl`, `base_url` */
export function spellings(key: string): readonly string[] {
  const snake = key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  return snake === key ? [key] : [key, snake]
}

export const entryKeys = Object.keys(shapes).flatMap(spellings)
export const urlKeys = ['baseUrl', 'base_url', 'url', 'serverUrl', 'server_url']
export const commandKeys = ['command', 'executable']
const addresses = [...urlKeys, ...commandKeys]

/** mcporter validates the file as a whole: with one violation it loads nothing of it. */
export function isValidTable({ file, path, value }: Table, report: Report): boolean {
  const results = Object.entries(value).map(([name, entry]) =>
    isValidEntry(name, entry, [...path, name], file, report),
  )
  return results.every(Boolean)
}

function isValidEntry(name: string, entry: Json, path: Path, file: OpenFile, report: Report): boolean {
  let valid = true
  const fail = (code: DiagnosticCode, problem: string, key: Path = []) => {
    valid = false
    const message = `${problem} mcporter refuses the whole file.`
    report.add(code, 'error', message, { file, pointer: toPointer([...path, ...key]), server: name })
  }
  if (!isObject(entry)) {
    fail('wrong-type', `"${name}" must be an object.`)
    return false
  }
  checkShapes(entry, fail)
  checkIdleTimeout(entry, fail)
  if (has(entry, 'allowedTools') && has(entry, 'blockedTools')) {
    fail('tool-filter-conflict', 'Use either allowedTools or blockedTools, not both.')
  }
  if (!addresses.some((key) => Object.hasOwn(entry, key))) {
    fail('missing-endpoint', 'The entry has neither a baseUrl nor a command.')
  }
  return valid
}

type ReportFailure = (code: DiagnosticCode, problem: string, key?: Path) => void

function checkShapes(entry: JsonObject, fail: ReportFailure): void {
  for (const [first, shape] of Object.entries(shapes)) {
    for (const key of spellings(first)) {
      const value = Object.hasOwn(entry, key) ? entry[key] : undefined
      if (value === undefined || shape.accepts(value)) continue
      fail('wrong-type', `"${key}" must be ${shape.wanted}.`, [key, ...firstBadKey(value, shape)])
    }
  }
}

/** The key of the first value in a map that is not a string. */
function firstBadKey(value: Json, shape: Shape): Path {
  if (shape !== map || !isObject(value)) return []
  return Object.keys(value)
    .filter((key) => typeof value[key] !== 'string')
    .slice(0, 1)
}

function checkIdleTimeout({ lifecycle: value }: JsonObject, fail: ReportFailure): void {
  const idle = isObject(value) ? value['idleTimeoutMs'] : undefined
  if (idle === undefined || (Number.isInteger(idle) && Number(idle) > 0)) return
  const code = typeof idle === 'number' ? 'out-of-range' : 'wrong-type'
  fail(code, 'idleTimeoutMs must be a positive integer in milliseconds.', ['lifecycle', 'idleTimeoutMs'])
}

function has(entry: JsonObject, key: string): boolean {
  return spellings(key).some((spelling) => Object.hasOwn(entry, spelling))
}
