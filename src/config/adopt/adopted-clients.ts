import { startsGateway } from '../../model/launch/starts-gateway.ts'
import { loadSource } from '../../sources/clients/load-source.ts'
import { openFiles } from '../../sources/open-files.ts'
import { placesOf } from '../../sources/places.ts'
import { knownSource, platformOf } from '../discover-options.ts'
import type { DiscoverOptions } from '../discover-options.ts'
import { createWorld } from '../world.ts'
import { readAdoptions } from './adoption-record.ts'

export interface AdoptedClient {
  readonly client: string
  readonly title: string
  readonly view: string
  /** Names in our own file. */
  readonly servers: readonly string[]
  readonly files: readonly {
    readonly file: string
    /** Whether the entry that starts the gateway is still in the file. */
    readonly isConnected: boolean
  }[]
}

/** The adopted clients, and whether each of their files still starts the gateway. */
export async function adoptedClients(options: DiscoverOptions): Promise<readonly AdoptedClient[]> {
  const platform = await platformOf(options)
  const { clients } = await readAdoptions(platform)
  if (clients.size === 0) return []
  const world = await createWorld(platform, { ...options, config: undefined })
  return Promise.all(
    [...clients].map(async ([id, { view, files }]): Promise<AdoptedClient> => {
      const source = await loadSource(knownSource(id))
      const opened = await openFiles(placesOf(source.id, world), platform.files)
      const own = source.read(opened.files, world).servers.filter(startsGateway)
      const real = await Promise.all(own.map(({ origin }) => platform.files.realPath(origin.file)))
      return {
        client: id,
        title: source.title,
        view,
        servers: [...new Set(files.flatMap(({ moved }) => moved.map(({ as }) => as)))],
        files: files.map(({ file }) => ({ file, isConnected: real.includes(file) })),
      }
    }),
  )
}
