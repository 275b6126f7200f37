import { resolve } from 'node:path'
import { HostError, discover, nodePlatform } from '../../../index.ts'
import type { DiscoverOptions, FileStat, Files, Host, Platform } from '../../../index.ts'
import { believePlatform, checkPublished, configRefused, publishedOptions } from '../../../internal.ts'
import { hasSharedStore, openOwnStore } from '../../../store.ts'
import type { GatewayDocument, OwnStoreOptions } from '../../../store.ts'
import { addressViews, readServedSettings } from '../served-settings.ts'
import type { ServedAddresses } from '../served-settings.ts'
import { fileSource, publishedFile } from '../team/published-source.ts'
import type { ConfigSource } from '../team/published-source.ts'
import { CallerViews } from './caller-views.ts'

/** Which configuration is explained, if not the one of the folder. */
type ConfigOrigin =
  | { readonly kind: 'store'; readonly version: number; readonly publishedAt: string }
  | { readonly kind: 'file'; readonly file: string }

/** The configuration of a gateway that does not have to run. */
export class ExplainedConfig {
  /** Options of a host that knows its servers. */
  readonly discover: DiscoverOptions
  readonly origin: ConfigOrigin | undefined
  readonly #source: ConfigSource | undefined
  readonly #hasReplicas: boolean

  constructor(parts: {
    readonly discover: DiscoverOptions
    readonly hasReplicas: boolean
    readonly source?: ConfigSource
    readonly origin?: ConfigOrigin
  }) {
    this.discover = parts.discover
    this.origin = parts.origin
    this.#source = parts.source
    this.#hasReplicas = parts.hasReplicas
  }

  /** What callers find in it. */
  async openViews(host: Host): Promise<CallerViews> {
    return new CallerViews(host, await this.#addresses(host))
  }

  /** The names of its addresses, beside `/mcp`. */
  async viewNames(): Promise<readonly string[]> {
    const { views } = await this.#addresses({ discovery: await discover(this.discover) })
    return Object.keys(views)
  }

  async #addresses(host: Pick<Host, 'discovery'>): Promise<ServedAddresses> {
    const { views } = await readServedSettings(this.discover, this.#source)
    return addressViews(host, views, { hasReplicas: this.#hasReplicas })
  }
}

/** Finds the configuration that a gateway in the folder serves with the same `--from`. Nothing is written. */
export async function openExplained({
  from,
  cwd,
  platform: given,
}: {
  readonly from?: string | undefined
  /** An absolute path. */
  readonly cwd: string
  readonly platform?: Partial<Platform>
}): Promise<ExplainedConfig> {
  const own = { cwd, ...(given && { platform: given }) }
  const hasReplicas = await hasSharedStore(own)
  if (from === undefined) return new ExplainedConfig({ discover: own, hasReplicas })
  if (from !== 'store') {
    const file = resolve(cwd, from)
    return new ExplainedConfig({
      discover: publishedOptions(own, file),
      source: fileSource(file),
      hasReplicas,
      origin: { kind: 'file', file },
    })
  }
  const { number, at, text } = await readNewest(own)
  const { platform } = await believePlatform({ ...given, cwd })
  const file = publishedFile(platform)
  const published = publishedOptions({ ...own, platform: { ...given, files: withText(file, text) } }, file)
  const { refused } = await checkPublished(published, file, text)
  if (refused.length > 0)
    throw configRefused(`version ${number}`, `Version ${number} is not served here.`, refused)
  return new ExplainedConfig({
    discover: published,
    source: fileSource(file),
    hasReplicas,
    origin: { kind: 'store', version: number, publishedAt: at },
  })
}

async function readNewest(own: OwnStoreOptions): Promise<GatewayDocument> {
  const { store } = await openOwnStore({ ...own, mayCreate: false, retryMs: 5000 })
  try {
    const newest = await store?.versions.read()
    if (newest) return newest
  } finally {
    await store?.close()
  }
  throw new HostError('version.unknown', { number: 0 }, 'No configuration is published.', {
    hint: 'Publish one: plugboard gateway publish FILE',
  })
}

/** The files of this machine, one of them with another text: a running gateway may keep an earlier version in it. */
function withText(path: string, text: string): Files {
  const { files } = nodePlatform()
  const stat: FileStat = {
    kind: 'file',
    mode: 0o600,
    uid: process.getuid?.() ?? 0,
    size: Buffer.byteLength(text),
    mtimeMs: 0,
  }
  return {
    ...files,
    readText: async (asked, options) =>
      asked === path ? { kind: 'text', text, bom: false, stat } : files.readText(asked, options),
    stat: async (asked) => (asked === path ? stat : files.stat(asked)),
  }
}
