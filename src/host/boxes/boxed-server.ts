import { join } from 'node:path'
import {
  cacheDirectory,
  configDirectory,
  dataDirectory,
  hostDirectories,
  stateDirectory,
} from '../../config/own-directories.ts'
import { childEnv } from '../../platform/child-env.ts'
import { isLoader } from '../../config/values/loader-variables.ts'
import { createWorld } from '../../config/world.ts'
import { boxTransport } from '../../connections/runner/box-transport.ts'
import { sweepContainers } from '../../connections/runner/container-life.ts'
import type { BoxContext } from '../../connections/runner/box-transport.ts'
import type { ResolvedTransport } from '../../model/resolved.ts'
import type { Runner } from '../../model/runner/runner.ts'
import type { Server } from '../../model/server.ts'
import type { Platform } from '../../platform/platform.ts'

type Stdio = ResolvedTransport & { readonly kind: 'stdio' }

/** Wraps the command of a server in its runner, with the folders of this program. */
export async function boxed(
  server: Server,
  runner: Runner,
  transport: Stdio,
  { platform, outside }: { readonly platform: Platform } & Pick<BoxContext, 'outside'>,
): Promise<Stdio> {
  const own = await ownFolders(platform)
  return boxTransport(server, runner, transport, {
    platform,
    outside,
    own,
    isLoader,
    // The random part only tells starts apart; the folder is private.
    newFolder: () => join(hostDirectories(platform).boxes, Math.random().toString(16).slice(2, 14)),
  })
}

/**
 * Our own folders without links, because what a box opens is compared without them too. They have to exist: a box hides them
 * by a mount, and cannot make the place for it in a folder that it only reads.
 */
async function ownFolders(platform: Platform): Promise<readonly string[]> {
  const { files } = platform
  const paths = [configDirectory, stateDirectory, cacheDirectory, dataDirectory].map((of) => of(platform))
  const found = await Promise.all(
    paths.map(async (path) => {
      if (!(await files.stat(path))) await files.makePrivateDirectory(path)
      return files.realPath(path)
    }),
  )
  return [...new Set(found)]
}

/** Removes the containers that killed hosts have left running. */
export async function sweepBoxes(platform: Platform): Promise<void> {
  const env = childEnv(await createWorld(platform))
  await sweepContainers(hostDirectories(platform).boxes, { ...platform, env })
}
