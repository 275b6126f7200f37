import type { Diagnostic } from '../../model/diagnostic.ts'
import { isObject } from '../../model/json.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import { builtInEndpoints, endpointKinds, usualUrls } from './built-in-endpoints.ts'
import type { EndpointKind } from './built-in-endpoints.ts'
import { isLoopbackHost } from '../../platform/ip-address.ts'
import { classifyLiteral } from '../../sources/entries/literal-secrets.ts'

/** Facts about one model that neither its endpoint nor our table has. */
export interface ModelSettings {
  /** Tokens that fit into a request and its answer. */
  readonly window?: number
  readonly maxOutput?: number
}

/** One entry of `endpoints` in the person's settings, unresolved. */
export interface EndpointSettings {
  /** Absent: that of the endpoint of this name that is built in. */
  readonly kind?: EndpointKind
  readonly url?: string
  /** A reference as in the entry of a server: `${env:X}`, `${keychain:service/account}`, `!command`. */
  readonly key?: string
  /** Of OpenAI: `responses` by default. */
  readonly api?: 'responses' | 'chat'
  readonly headers?: Readonly<Record<string, string>>
  readonly models?: Readonly<Record<string, ModelSettings>>
}

/** Names that a reference `endpoint/model` can begin with. */
export function isEndpointName(name: string): boolean {
  return /^[a-z0-9][a-z0-9._-]{0,63}$/i.test(name)
}

/** Reports a problem at a path below the settings. */
type Report = (
  path: readonly string[],
  message: string,
  about?: Partial<Pick<Diagnostic, 'code' | 'severity' | 'hint'>>,
) => void

/** Reads `endpoints`. A wrong key is left out with its place; an endpoint that cannot be used is left out as a whole. */
export function readEndpoints(
  value: Json | undefined,
  report: Report,
): Readonly<Record<string, EndpointSettings>> {
  if (!isObject(value)) {
    report(['endpoints'], '"endpoints" must be an object; it is ignored.')
    return {}
  }
  const read = Object.entries(value).flatMap(([name, entry]): [string, EndpointSettings][] => {
    const endpoint = readEndpoint(name, entry, report)
    return endpoint ? [[name, endpoint]] : []
  })
  return Object.fromEntries(read)
}

const knownKeys = ['kind', 'url', 'key', 'api', 'headers', 'models']

function readEndpoint(name: string, entry: Json, report: Report): EndpointSettings | undefined {
  const path = ['endpoints', name]
  if (!isEndpointName(name)) {
    report(path, `"${name}" cannot be the name of an endpoint: use letters, digits, ".", "_" and "-".`)
    return undefined
  }
  if (!isObject(entry)) {
    report(path, `The endpoint "${name}" must be an object; it is ignored.`)
    return undefined
  }
  const refuse = (key: string, message: string) =>
    report([...path, key], `"${key}" of the endpoint "${name}" ${message}`)
  for (const key of Object.keys(entry)) {
    if (!knownKeys.includes(key)) refuse(key, `is not a key of an endpoint; it is ignored.`)
  }
  const kind = endpointKinds.find((each) => each === entry['kind'])
  if (entry['kind'] !== undefined && kind === undefined) {
    refuse('kind', `must be one of ${endpointKinds.join(', ')}; the endpoint is ignored.`)
    return undefined
  }
  const { url, key, api } = entry
  const isBuiltIn = Object.hasOwn(builtInEndpoints, name)
  if (kind === undefined && !isBuiltIn) {
    report(path, `The endpoint "${name}" needs a "kind": ${endpointKinds.join(', ')}; it is ignored.`)
    return undefined
  }
  if (url === undefined && !isBuiltIn && kind !== undefined && usualUrls[kind] === undefined) {
    report(path, `The endpoint "${name}" needs a "url"; it is ignored.`)
    return undefined
  }
  const problem = url === undefined ? undefined : problemWithUrl(url)
  if (problem !== undefined) {
    refuse('url', `${problem}; the endpoint is ignored.`)
    return undefined
  }
  warnOfPlainHttp(url, [...path, 'url'], report)
  if (key !== undefined && typeof key !== 'string') {
    refuse('key', 'must be a text such as "${env:NAME}"; the endpoint is ignored.')
    return undefined
  }
  if (key !== undefined && isLiteralKey(key)) warnOfLiteral(name, [...path, 'key'], report)
  const isApi = api === 'responses' || api === 'chat'
  if (api !== undefined && !isApi) refuse('api', 'must be "responses" or "chat"; it is ignored.')
  const headers = readHeaders(entry['headers'], path, refuse, report)
  const models = readModels(entry['models'], refuse)
  return {
    ...(kind && { kind }),
    ...(typeof url === 'string' && { url }),
    ...(key !== undefined && { key }),
    ...(isApi && { api }),
    ...(headers && { headers }),
    ...(models && { models }),
  }
}

type Refuse = (key: string, message: string) => void

/** Why an address cannot be one of an endpoint. A password in it would be shown in lists and errors. */
export function problemWithUrl(url: Json): string | undefined {
  const parsed = typeof url === 'string' && URL.canParse(url) ? new URL(url) : undefined
  if (!parsed || !/^https?:$/.test(parsed.protocol)) return 'must be an https or http address'
  if (parsed.username !== '' || parsed.password !== '') return 'must not contain a user name or password'
  if (parsed.search !== '' || parsed.hash !== '') return 'must not contain a query or fragment'
  return undefined
}

function warnOfPlainHttp(url: Json | undefined, path: readonly string[], report: Report): void {
  if (typeof url !== 'string') return
  const { protocol, hostname } = new URL(url)
  if (protocol === 'https:' || isLoopbackHost(hostname)) return
  report(path, 'Plain http: anyone on the network path can read the key and the conversation.', {
    code: 'insecure-url',
    severity: 'warn',
  })
}

/** Whether a key stands in the text itself. Every text without a reference does: there is nothing else that it could be. */
export function isLiteralKey(key: string): boolean {
  return key !== '' && !key.startsWith('!') && !/\$\{|\{env:|\{file:/.test(key)
}

function warnOfLiteral(name: string, path: readonly string[], report: Report): void {
  report(path, `The endpoint "${name}" holds a literal key.`, {
    code: 'plaintext-secret',
    severity: 'warn',
    hint: `Put it in an environment variable or your keychain and reference that: plugboard models add ${name} --key '\${env:NAME}' --force`,
  })
}

function readHeaders(
  value: Json | undefined,
  path: readonly string[],
  refuse: Refuse,
  report: Report,
): EndpointSettings['headers'] {
  if (value === undefined) return undefined
  const entries = Object.entries(isObject(value) ? value : {})
  if (!isObject(value) || !entries.every(isText)) {
    refuse('headers', 'must be an object of texts; it is ignored.')
    return undefined
  }
  for (const [name, text] of entries) {
    if (classifyLiteral(name, text) !== 'secret') continue
    report([...path, 'headers', name], `The header ${name} holds a literal secret.`, {
      code: 'plaintext-secret',
      severity: 'warn',
      hint: 'Put it in an environment variable and reference that.',
    })
  }
  return Object.fromEntries(entries)
}

function isText(entry: readonly [string, Json]): entry is [string, string] {
  return typeof entry[1] === 'string'
}

function readModels(value: Json | undefined, refuse: Refuse): EndpointSettings['models'] {
  if (value === undefined) return undefined
  if (!isObject(value)) {
    refuse('models', 'must be an object of models; it is ignored.')
    return undefined
  }
  return Object.fromEntries(
    Object.entries(value).map(([id, about]) => [id, readModel(id, about, refuse)] as const),
  )
}

function readModel(id: string, about: Json, refuse: Refuse): ModelSettings {
  const fields: JsonObject = isObject(about) ? about : {}
  const wrong = Object.keys(fields).find(
    (key) => !(key === 'window' || key === 'maxOutput') || !isCount(fields[key]),
  )
  if (!isObject(about) || wrong !== undefined) {
    const at = wrong === undefined ? '' : ` has "${wrong}", which`
    refuse('models', `names "${id}"; its entry${at} may have only "window" and "maxOutput", whole numbers.`)
  }
  const { window, maxOutput } = fields
  return { ...(isCount(window) && { window }), ...(isCount(maxOutput) && { maxOutput }) }
}

function isCount(value: Json | undefined): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value > 0
}
