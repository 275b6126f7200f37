import { isAbsolute, join } from 'node:path'
import type { Platform } from '../platform/platform.ts'
import { ownFolders } from '../sources/project-folder.ts'

type Places = Pick<Platform, 'env' | 'home'>

/** D-12: the directory of files that people edit. Files that we write ourselves are in the state directory. */
export function configDirectory(platform: Places): string {
  return ownDirectory('XDG_CONFIG_HOME', platform)
}

export function stateDirectory(platform: Places): string {
  return ownDirectory('XDG_STATE_HOME', platform)
}

/** The folder of the images that were saved in a conversation. */
export function imagesDirectory(platform: Places, conversation: string): string {
  return join(stateDirectory(platform), 'images', conversation)
}

export function cacheDirectory(platform: Places): string {
  return ownDirectory('XDG_CACHE_HOME', platform)
}

/** The directories for records of started processes, files of running containers, server logs, the catalog cache, logins, and tasks. */
export function hostDirectories(platform: Places) {
  const state = stateDirectory(platform)
  return {
    started: join(state, 'started'),
    boxes: join(state, 'boxes'),
    logs: join(state, 'logs'),
    cache: join(cacheDirectory(platform), 'servers'),
    logins: join(state, 'logins'),
    acceptances: join(state, 'acceptances'),
    tasks: join(state, 'tasks'),
  }
}

export function dataDirectory(platform: Places): string {
  return ownDirectory('XDG_DATA_HOME', platform)
}

/** XDG: an empty or relative value counts as unset. Otherwise our files could be read from a project's folder. */
function ownDirectory(variable: keyof typeof ownFolders, { env, home }: Places): string {
  const moved = env[variable]
  const folder = moved !== undefined && isAbsolute(moved) ? moved : join(home, ownFolders[variable])
  return join(folder, 'plugboard')
}
