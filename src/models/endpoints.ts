import { platformOf } from '../config/discover-options.ts'
import type { EndpointSettings, ModelSettings } from '../config/endpoints/endpoint-settings.ts'
import { readSettings, settingsFile } from '../config/settings.ts'
import type { Settings } from '../config/settings.ts'
import type { Diagnostic } from '../model/diagnostic.ts'
import { HostError } from '../model/error.ts'
import { builtInEndpoints, usualUrls } from '../config/endpoints/built-in-endpoints.ts'
import type { EndpointKind } from '../config/endpoints/built-in-endpoints.ts'
import { nearest } from '../model/near.ts'
import type { Platform } from '../platform/platform.ts'
import type { ModelOptions } from './model-options.ts'

/** A place that models are reached at: built in, from the person's settings, or both. */
export interface Endpoint {
  readonly name: string
  /** As people call it. */
  readonly title: string
  readonly kind: EndpointKind
  /** Without a slash at its end. */
  readonly url: string
  readonly api: 'responses' | 'chat'
  /** A reference, unresolved. */
  readonly key?: string
  /** Without `key`: the variables that hold it, the first that is set counts. */
  readonly keyVariables: readonly string[]
  /** Unresolved. */
  readonly headers: Readonly<Record<string, string>>
  readonly models: Readonly<Record<string, ModelSettings>>
  readonly isBuiltIn: boolean
  /** How to start its program on this machine. */
  readonly start?: string
}

export interface EndpointReading {
  readonly endpoints: readonly Endpoint[]
  /** The model of the settings. */
  readonly model?: string
  readonly file: string
  /** About the settings of models only. */
  readonly diagnostics: readonly Diagnostic[]
}

/** Reads the endpoints: those of the person's own settings first. A project cannot declare any (T64). */
export async function readEndpoints(platform: Platform): Promise<EndpointReading> {
  const { settings, diagnostics } = await readSettings(platform)
  const broken = diagnostics.find(({ origin }) => origin?.pointer === undefined)
  if (broken) throw new HostError('config.invalid', { file: settingsFile(platform) }, broken.message)
  const own = Object.entries(settings.endpoints ?? {}).map(([name, given]) => toEndpoint(name, given))
  const others = Object.keys(builtInEndpoints).filter((name) => !own.some((each) => each.name === name))
  return {
    endpoints: [...own, ...others.map((name) => toEndpoint(name, {}))],
    ...modelOf(settings),
    file: settingsFile(platform),
    diagnostics: diagnostics.filter(({ origin }) => /^\/(?:model|endpoints)\b/.test(origin?.pointer ?? '')),
  }
}

/** The endpoints and the models that the settings name, without asking any of them. */
export async function listEndpoints(
  options: ModelOptions = {},
): Promise<readonly { readonly name: string; readonly models: readonly string[] }[]> {
  const { endpoints } = await readEndpoints(await platformOf(options))
  return endpoints.map(({ name, models }) => ({ name, models: Object.keys(models) }))
}

function modelOf({ model }: Settings): { readonly model?: string } {
  return model === undefined || model === '' ? {} : { model }
}

function toEndpoint(name: string, given: EndpointSettings): Endpoint {
  const known = Object.hasOwn(builtInEndpoints, name) ? builtInEndpoints[name] : undefined
  const kind = given.kind ?? known?.kind ?? 'openai-compatible'
  const url = (given.url ?? known?.url ?? usualUrls[kind] ?? '').replace(/\/+$/, '')
  // The key of a built-in endpoint is for its own address: another address gets only a key that its entry names.
  const isSamePlace = known?.url === url
  return {
    name,
    title: known?.title ?? name,
    kind,
    url,
    api: given.api ?? 'responses',
    ...(given.key !== undefined && { key: given.key }),
    keyVariables: isSamePlace ? known.keyVariables : [],
    headers: given.headers ?? {},
    models: given.models ?? {},
    isBuiltIn: Object.keys(given).length === 0,
    ...(known?.start !== undefined && { start: known.start }),
  }
}

/** The endpoint with this name, or an error that names similar ones. */
export function findEndpoint(name: string, endpoints: readonly Endpoint[]): Endpoint {
  const found = endpoints.find((each) => each.name === name)
  if (found) return found
  const near = nearest(
    name,
    endpoints.map((each) => each.name),
  )
  throw new HostError('model.unknown', { model: name, near }, `There is no endpoint "${name}".`, {
    hint:
      near.length > 0
        ? `Did you mean ${near.join(' or ')}? See: plugboard models`
        : `Add it: plugboard models add ${name} --kind openai-compatible --url URL. All: plugboard models`,
  })
}
