import { hashDefinition } from '../definition/canonical-definition.ts'
import { sha256Hex } from '../canonical.ts'
import type { Finding } from '../finding.ts'
import { isList, isObject } from '../json.ts'
import type { Json, JsonObject } from '../json.ts'
import { appMimeType } from './app-meta.ts'

/** What an app asks for besides showing itself. Nothing of it is granted by that. */
export interface AppWishes {
  /** Origins that it sends requests to. */
  readonly connect: readonly string[]
  /** Origins that it loads scripts, styles, images, sounds and fonts from. */
  readonly resources: readonly string[]
  /** Origins whose pages it shows in frames of its own. */
  readonly frames: readonly string[]
  readonly permissions: readonly AppPermission[]
}

export type AppPermission = 'camera' | 'microphone' | 'geolocation' | 'clipboard-write'

/** The document of an app, as its server sends it. */
export interface AppDocument {
  readonly server: string
  /** `ui://…`. */
  readonly uri: string
  readonly html: string
  readonly bytes: number
  /** Of the document and of what it asks for: what a person accepts, and a lock file pins. */
  readonly hash: string
  readonly wishes: AppWishes
  /** Entries of the lists that are no origins, and were left out. */
  readonly dropped: readonly string[]
  readonly prefersBorder?: boolean
  /** What the scanner found in the texts of the document that a person reads. */
  readonly findings: readonly Finding[]
}

/** A larger document is not shown. */
const maxAppBytes = 8 * 1024 * 1024

const permissionNames: Readonly<Record<string, AppPermission>> = {
  camera: 'camera',
  microphone: 'microphone',
  geolocation: 'geolocation',
  clipboardWrite: 'clipboard-write',
}

/** The most entries of a list that are read. */
const maxEntries = 32

export type AppReading =
  | { readonly kind: 'app'; readonly app: Omit<AppDocument, 'server' | 'findings'> }
  /** Why it cannot be shown, as a sentence. */
  | { readonly kind: 'unusable'; readonly problem: string }

/**
 * Reads the answer to `resources/read`. What the content item says about itself wins over the entry of the list.
 *
 * @param listed The `_meta` of the resource in the list of resources, if it is there.
 */
export function readAppDocument(answer: Json, uri: string, listed?: Json): AppReading {
  const contents = isObject(answer) ? answer['contents'] : undefined
  const items = isList(contents) ? contents.filter(isObject) : []
  const item = items.find((each) => each['uri'] === uri) ?? items[0]
  if (!item) return unusable('The server sent no document.')
  const { mimeType, text, blob } = item
  if (mimeType !== appMimeType)
    return unusable(`Its type is ${JSON.stringify(mimeType ?? null).slice(0, 80)}, and not ${appMimeType}.`)
  const size = typeof text === 'string' ? Buffer.byteLength(text) : bytesOfBase64(blob)
  if (size > maxAppBytes)
    return unusable(`It has ${megabytes(size)} MB; at most ${megabytes(maxAppBytes)} are shown.`)
  const html = typeof text === 'string' ? text : decode(blob)
  if (html === undefined || html.trim() === '') return unusable('Its document is empty.')
  const ui = { ...uiOf(listed), ...uiOf(item['_meta'] ?? item['meta']) }
  const { wishes, dropped } = readWishes(ui)
  const { prefersBorder } = ui
  const document = { uri, html, bytes: Buffer.byteLength(html), wishes }
  const border = typeof prefersBorder === 'boolean' && { prefersBorder }
  return {
    kind: 'app',
    app: { ...document, hash: hashDefinition(appDefinition(document)), dropped, ...border },
  }
}

/** What is accepted, held and pinned in place of the document: its hash and what it asks for. */
export function appDefinition({
  uri,
  bytes,
  html,
  wishes,
}: Pick<AppDocument, 'uri' | 'bytes' | 'html' | 'wishes'>): JsonObject {
  return { uri, mimeType: appMimeType, bytes, sha256: sha256Hex(html), ...asJson(wishes) }
}

function asJson({ connect, resources, frames, permissions }: AppWishes): JsonObject {
  const lists = { connect, resources, frames, permissions }
  return Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0))
}

function readWishes(ui: JsonObject): Pick<AppDocument, 'wishes' | 'dropped'> {
  const csp = isObject(ui['csp']) ? ui['csp'] : {}
  const asked = isObject(ui['permissions']) ? ui['permissions'] : {}
  const dropped: string[] = []
  const origins = (key: string): readonly string[] => {
    const list = isList(csp[key]) ? csp[key].slice(0, maxEntries) : []
    const read = list.map((entry) => [entry, toOrigin(entry)] as const)
    for (const [entry, origin] of read)
      if (origin === undefined) dropped.push(JSON.stringify(entry).slice(0, 200))
    return [...new Set(read.flatMap(([, origin]) => origin ?? []))].sort()
  }
  const wishes = {
    connect: origins('connectDomains'),
    resources: origins('resourceDomains'),
    frames: origins('frameDomains'),
    permissions: Object.entries(permissionNames).flatMap(([key, name]) => (isObject(asked[key]) ? name : [])),
  }
  return { wishes, dropped }
}

/**
 * An entry as an expression of a content security policy: a scheme, a host that may begin with `*.`, a port, and nothing that
 * could end the directive or begin another one. A bare host means https. A name without a dot is refused, `localhost` and
 * addresses of this machine included, in any spelling (`127.0.0.0x1`): an app of a server has no business with other programs here.
 */
function toOrigin(entry: Json): string | undefined {
  if (typeof entry !== 'string' || entry.length > 300) return undefined
  const found = /^(?:(https|wss):\/\/)?((?:\*\.)?[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)(:\d{1,5})?\/?$/i.exec(
    entry,
  )
  const [, scheme = 'https', host = '', port = ''] = found ?? []
  const name = host.toLowerCase()
  const labels = name.replace(/^\*\./, '').split('.')
  const isNamed =
    labels.length >= 2 && labels.every((label) => label !== '') && /^[a-z]/.test(labels.at(-1) ?? '')
  const isLocal = ['localhost', 'local', 'internal', 'localdomain'].includes(labels.at(-1) ?? '')
  return isNamed && !isLocal ? `${scheme.toLowerCase()}://${name}${port}` : undefined
}

function uiOf(meta: Json | undefined): JsonObject {
  const ui = isObject(meta) ? meta['ui'] : undefined
  return isObject(ui) ? ui : {}
}

function unusable(problem: string): AppReading {
  return { kind: 'unusable', problem }
}

function megabytes(bytes: number): string {
  return (bytes / 1024 / 1024).toFixed(bytes % (1024 * 1024) === 0 ? 0 : 1)
}

function bytesOfBase64(blob: Json | undefined): number {
  return typeof blob === 'string' ? Math.floor((blob.length * 3) / 4) : 0
}

function decode(blob: Json | undefined): string | undefined {
  return typeof blob === 'string' ? Buffer.from(blob, 'base64').toString() : undefined
}
