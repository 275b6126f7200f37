import { HostError } from '../../model/error.ts'
import { isObject, toPointer } from '../../model/json.ts'
import type { Json } from '../../model/json.ts'
import type { Diagnostic, Place } from '../../model/diagnostic.ts'
import { parseText } from '../../sources/formats/parse-text.ts'
import { discover } from '../discover.ts'
import type { DiscoverOptions } from '../discover-options.ts'
import type { GatewayViewSettings } from '../gateway-views.ts'
import type { LimitRule } from './gateway-settings.ts'
import { addressStateful } from './stateful-views.ts'

/** What a configuration of gateways says beside its servers. What it leaves out is taken from the settings. */
export interface PublishedSettings {
  readonly views?: Readonly<Record<string, GatewayViewSettings>>
  readonly limits?: readonly LimitRule[]
}

/** A file that was examined, with everything that is wrong with it. */
export interface CheckedConfig {
  readonly servers: readonly string[]
  readonly diagnostics: readonly Diagnostic[]
  /** Those for which it is refused. */
  readonly refused: readonly Diagnostic[]
}

const rootKeys = ['$schema', 'mcpServers', 'views', 'limits']

/** What depends on the machine that reads the file: a variable that is not set here may be set where it is served. */
const localCodes: readonly Diagnostic['code'][] = ['missing-env', 'env-file-missing', 'needs-input']
/** A text that is in the store and in its backups must hold references to secrets only. */
const secretCodes: readonly Diagnostic['code'][] = ['plaintext-secret', 'embedded-token']

/** The options that read this file, and no other, as the configuration of a gateway. */
export function publishedOptions(options: DiscoverOptions, file: string): DiscoverOptions {
  return { ...options, config: file, sources: [], projectFiles: false }
}

/** Examines a file as the configuration of gateways: its servers as in every file of ours, views and limits as in settings. */
export async function checkPublished(
  options: DiscoverOptions,
  file: string,
  text: string,
): Promise<CheckedConfig> {
  const { servers, diagnostics: found } = await discover(publishedOptions(options, file))
  // Mistakes of the text itself are among those that reading the servers finds.
  const { settings, diagnostics: own, placeOf } = await readPublished(file, text)
  const stateful = servers.filter((server) => server.stateful).map(({ name }) => name)
  const clashes = addressStateful(settings.views ?? {}, stateful).clashes.map((name) =>
    viewClash(name, placeOf(['views', name])),
  )
  const ofFile = found.filter(({ origin }) => origin?.file === file)
  const diagnostics = [...ofFile, ...own, ...clashes].sort(byPlace)
  const isRefused = ({ code, severity }: Diagnostic) =>
    secretCodes.includes(code) || (severity === 'error' && !localCodes.includes(code))
  return { servers: servers.map(({ name }) => name), diagnostics, refused: diagnostics.filter(isRefused) }
}

interface ReadPublished {
  readonly settings: PublishedSettings
  readonly diagnostics: readonly Diagnostic[]
  /** Why the text has no settings at all. */
  readonly broken: readonly Diagnostic[]
  readonly placeOf: (path: readonly string[]) => Place
}

/** Reads what a configuration says beside its servers. */
export async function readPublished(file: string, text: string): Promise<ReadPublished> {
  const doc = await parseText(text, 'json')
  const { value } = doc
  const placeOf = (path: readonly string[]): Place => {
    const pointer = toPointer(path)
    return { file, pointer, ...doc.position(pointer) }
  }
  const broken: Diagnostic[] = doc.errors.map(({ message, line, column }) => ({
    code: 'parse-error',
    severity: 'error',
    message: `${message}.`,
    origin: { file, line, column },
  }))
  if (broken.length > 0 || !isObject(value)) {
    const message = 'A configuration is an object with "mcpServers".'
    if (broken.length === 0)
      broken.push({ code: 'wrong-type', severity: 'error', message, origin: placeOf([]) })
    return { settings: {}, diagnostics: [], broken, placeOf }
  }
  const diagnostics: Diagnostic[] = []
  const refuse = (path: readonly string[], message: string) => {
    const text = `"${path.join('.')}" ${message}`
    diagnostics.push({ code: 'settings-invalid', severity: 'error', message: text, origin: placeOf(path) })
  }
  if (!isObject(value['mcpServers'])) refuse(['mcpServers'], 'must be an object of servers by name.')
  for (const key of Object.keys(value))
    if (!rootKeys.includes(key))
      refuse([key], `is no part of a configuration: ${rootKeys.slice(1).join(', ')}.`)
  const { views, limits } = value
  return {
    settings: {
      ...(views !== undefined && { views: await readViews(views, refuse) }),
      ...(limits !== undefined && { limits: await readLimits(limits, refuse) }),
    },
    diagnostics,
    broken,
    placeOf,
  }
}

/** Every reason for which a configuration is refused, with its place, so that all can be mended at once. */
export function configRefused(
  file: string,
  what: string,
  refused: readonly Diagnostic[],
): HostError<'config.invalid'> {
  const lines = refused.map((problem) => withPlace(file, problem))
  const hasSecret = refused.some(({ code }) => secretCodes.includes(code))
  return new HostError('config.invalid', { file }, [what, ...lines].join('\n'), {
    ...(hasSecret && {
      hint: 'Write a reference in the place of a secret: ${env:NAME}, set where the gateway runs.',
    }),
  })
}

/** `FILE:LINE:COL message`, as far as the place is known. */
export function withPlace(file: string, { message, origin }: Diagnostic): string {
  const { line, column } = origin ?? {}
  return `${file}${line === undefined ? '' : `:${line}:${column ?? 1}`} ${message}`
}

function byPlace(one: Diagnostic, other: Diagnostic): number {
  return (one.origin?.line ?? 0) - (other.origin?.line ?? 0)
}

type Refuse = (path: readonly string[], message: string) => void

async function readViews(value: Json, refuse: Refuse) {
  const { readGatewayViews } = await import('../gateway-views.ts')
  return readGatewayViews(value, (path, message) => refuse(['views', ...path], withoutRest(message))) ?? {}
}

async function readLimits(value: Json, refuse: Refuse): Promise<readonly LimitRule[]> {
  const { readGatewaySettings } = await import('./gateway-settings.ts')
  const only = (path: readonly string[], message: string) => refuse(path, withoutRest(message))
  return readGatewaySettings({ limits: value }, only).limits ?? []
}

/** Settings go on without what is wrong and say so; a configuration does not. */
function withoutRest(message: string): string {
  return message.replace(/;[^;]*$/, '.')
}

/** A view with the name of a stateful server. */
export function viewClash(name: string, origin?: Place): Diagnostic {
  return {
    code: 'view-clash',
    severity: 'error',
    message: `The view "${name}" has the name of a stateful server, whose address /mcp/${name} is. The view is not offered.`,
    hint: 'Give the view another name.',
    ...(origin && { origin }),
  }
}
