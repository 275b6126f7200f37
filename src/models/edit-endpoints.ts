import { platformOf } from '../config/discover-options.ts'
import { editSetting } from '../config/edit/edit-settings.ts'
import { isEndpointName, isLiteralKey, problemWithUrl } from '../config/endpoints/endpoint-settings.ts'
import type { EndpointSettings } from '../config/endpoints/endpoint-settings.ts'
import { HostError } from '../model/error.ts'
import { isObject } from '../model/json.ts'
import type { JsonObject } from '../model/json.ts'
import { builtInEndpoints, endpointKinds, usualUrls } from '../config/endpoints/built-in-endpoints.ts'
import { findEndpoint, readEndpoints } from './endpoints.ts'
import { parseReference } from './model-choice.ts'
import type { ModelOptions } from './model-options.ts'

export interface EndpointEdit {
  readonly name: string
  readonly changed: boolean
  readonly file: string
}

/** An endpoint to write; what is absent keeps the value it has. */
export type NewEndpoint = Pick<EndpointSettings, 'kind' | 'url' | 'key' | 'api' | 'headers'>

/** Writes an endpoint into the person's own settings. An existing entry is changed only with `force`. */
export async function addEndpoint(
  name: string,
  given: NewEndpoint,
  { force = false, ...options }: ModelOptions & { readonly force?: boolean } = {},
): Promise<EndpointEdit> {
  checkEndpoint(name, given)
  const platform = await platformOf(options)
  const { file } = await readEndpoints(platform)
  const written = await editSetting(platform, ['endpoints', name], (before) => {
    if (before !== undefined && !force) throw exists(name, file)
    const entry: JsonObject = { ...(isObject(before) && before), ...toJson(given) }
    checkComplete(name, entry)
    return entry
  })
  return { name, ...written }
}

function toJson({ headers, ...rest }: NewEndpoint): JsonObject {
  return { ...rest, ...(headers && Object.keys(headers).length > 0 && { headers }) }
}

function checkEndpoint(name: string, { url, key }: NewEndpoint): void {
  if (!isEndpointName(name))
    throw usage(`"${name}" cannot be the name of an endpoint.`, 'Use letters, digits, ".", "_" and "-".')
  const problem = url === undefined ? undefined : problemWithUrl(url)
  if (problem !== undefined) throw usage(`The url of an endpoint ${problem}.`)
  // A key on the command line is in the history of the shell, and for a moment in the list of processes.
  if (key !== undefined && (key === '' || isLiteralKey(key)))
    throw usage(
      '--key takes a reference to the key, not the key itself.',
      "Write '${env:NAME}', '${keychain:service/account}' or '!command', in single quotes.",
    )
}

function checkComplete(name: string, { kind, url }: JsonObject): void {
  if (Object.hasOwn(builtInEndpoints, name)) return
  const known = endpointKinds.find((each) => each === kind)
  if (known === undefined) throw usage(`Say which API "${name}" speaks: --kind ${endpointKinds.join('|')}`)
  if (url === undefined && usualUrls[known] === undefined) throw usage(`Say where "${name}" is: --url URL`)
}

/** Removes an endpoint from the person's own settings. */
export async function removeEndpoint(name: string, options: ModelOptions = {}): Promise<EndpointEdit> {
  const platform = await platformOf(options)
  const { endpoints, model } = await readEndpoints(platform)
  const found = findEndpoint(name, endpoints)
  if (found.isBuiltIn) throw usage(`"${name}" is built in; your settings say nothing about it.`)
  // The last one takes the key with it that the first one added.
  const isLast = endpoints.filter((each) => !each.isBuiltIn).length === 1
  const written = await editSetting(platform, isLast ? ['endpoints'] : ['endpoints', name], () => undefined)
  const isDefault = model?.startsWith(`${name}/`) === true && !Object.hasOwn(builtInEndpoints, name)
  if (isDefault) await editSetting(platform, ['model'], () => undefined)
  return { name, ...written }
}

/** Makes a model the default one. Only its endpoint is checked: it need not be reachable now. */
export async function useModel(
  ref: string,
  options: ModelOptions = {},
): Promise<Omit<EndpointEdit, 'name'> & { readonly model: string }> {
  const platform = await platformOf(options)
  const { endpoints } = await readEndpoints(platform)
  const choice = parseReference(ref, endpoints)
  return { model: choice.ref, ...(await editSetting(platform, ['model'], () => choice.ref)) }
}

function exists(name: string, file: string): HostError<'config.exists'> {
  return new HostError('config.exists', { server: name, file }, `Your settings have an endpoint "${name}".`, {
    hint: 'Change it with --force, or choose another name.',
  })
}

function usage(message: string, hint?: string): HostError<'usage'> {
  return new HostError('usage', {}, message, hint === undefined ? {} : { hint })
}
