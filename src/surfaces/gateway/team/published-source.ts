import { dirname, join } from 'node:path'
import type { DiscoverOptions, Platform } from '../../../index.ts'
import {
  believePlatform,
  checkPublished,
  configRefused,
  hashOf,
  publishedFileName,
  readPublished,
  stateDirectory,
} from '../../../internal.ts'
import type { PublishedSettings } from '../../../internal.ts'
import type { SharedStore } from './shared-store.ts'

export interface PublishedOptions {
  readonly discover: DiscoverOptions
  readonly shared: SharedStore
  readonly warn: (message: string) => void
  readonly note: (message: string) => void
}

/** A configuration in a file, which the gateway follows like every other file. */
export interface ConfigSource {
  readonly file: string
  /** The number of the version that is served; absent before the first one, and for a file. */
  version(): number | undefined
  /** Whether there is a configuration to serve. */
  isReady(): boolean
}

/** Serves nothing, and can be watched. */
const nothingYet = '{ "mcpServers": {} }\n'

/** A mounted file. */
export function fileSource(file: string): ConfigSource {
  return { file, version: () => undefined, isReady: () => true }
}

/**
 * The newest published configuration, in a private file of this machine. A version that cannot be used here is reported, and
 * the one before stays. Without the store, the version that was served last is served again.
 */
export async function storeSource(options: PublishedOptions): Promise<ConfigSource> {
  const { discover, shared, warn, note } = options
  const { platform } = await believePlatform({
    ...discover.platform,
    ...(discover.cwd !== undefined && { cwd: discover.cwd }),
  })
  const { files } = platform
  const file = publishedFile(platform)
  await files.makePrivateDirectory(dirname(file))
  let served: number | undefined
  let refused: number | undefined
  const before = await files.readText(file)
  let isReady = before.kind === 'text' && before.text !== nothingYet
  let taking: Promise<void> = Promise.resolve()

  const take = async () => {
    const found = await shared.current?.versions.read()
    if (!found || found.number === served || found.number === refused) return
    const next = `${file}.${process.pid}.checked`
    try {
      await files.replace(next, found.text, { mode: 0o600 })
      const [problem] = (await checkPublished(discover, next, found.text)).refused
      if (problem) {
        refused = found.number
        const staying =
          served === undefined ? 'There is none before it.' : `Version ${served} stays in force.`
        return warn(`Version ${found.number} is not served: ${problem.message} ${staying}`)
      }
      await files.replace(file, found.text, { mode: 0o600 })
    } finally {
      await files.remove(next)
    }
    served = found.number
    isReady = true
    note(`Serving version ${found.number} of the configuration.`)
  }
  const follow = () => {
    taking = taking
      .then(take)
      .catch((error: unknown) => warn(`The published configuration was not read: ${String(error)}`))
  }
  shared.onChange('config', follow)
  await shared.open()
  follow()
  await taking
  if (!isReady) {
    await files.replace(file, nothingYet, { mode: 0o600 })
    warn(
      shared.current
        ? 'No configuration is published yet. Publish one: plugboard gateway publish FILE'
        : 'No configuration is known here yet: the published one is served once the store can be read.',
    )
  } else if (served === undefined) warn('Serving the configuration that was served last.')
  return { file, version: () => served, isReady: () => isReady }
}

/** Where a gateway of this folder keeps the published configuration that it serves. */
export function publishedFile(platform: Platform): string {
  const name = publishedFileName(hashOf(platform.cwd).slice(-12))
  return join(stateDirectory(platform), 'gateway', name)
}

/** The views and limits of a configuration, as its file is now. A text with mistakes in them throws. */
export async function readSource(
  { file }: ConfigSource,
  discover: DiscoverOptions,
): Promise<PublishedSettings> {
  const { platform } = await believePlatform({ ...discover.platform })
  const found = await platform.files.readText(file)
  if (found.kind !== 'text') {
    const why = found.kind === 'absent' ? 'There is no such file.' : found.message
    throw configRefused(file, notServed, [{ code: 'unreadable-file', severity: 'error', message: why }])
  }
  const { settings, diagnostics, broken } = await readPublished(file, found.text)
  const refused = [...broken, ...diagnostics]
  if (refused.length > 0) throw configRefused(file, notServed, refused)
  return settings
}

const notServed = 'The configuration cannot be served.'
