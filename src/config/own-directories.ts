import { isAbsolute, join } from 'node:path'
import type { Platform } from '../platform/platform.ts'

/** D-12: the directory of files that people edit. Files that we write ourselves are in the state directory. */
export function configDirectory({ env, home }: Pick<Platform, 'env' | 'home'>): string {
  return join(absolute(env['XDG_CONFIG_HOME']) ?? join(home, '.config'), 'plugboard')
}

export function stateDirectory({ env, home }: Pick<Platform, 'env' | 'home'>): string {
  return join(absolute(env['XDG_STATE_HOME']) ?? join(home, '.local/state'), 'plugboard')
}

export function cacheDirectory({ env, home }: Pick<Platform, 'env' | 'home'>): string {
  return join(absolute(env['XDG_CACHE_HOME']) ?? join(home, '.cache'), 'plugboard')
}

/** The directories for records of started processes, server logs, the catalog cache, and logins. */
export function hostDirectories(platform: Pick<Platform, 'env' | 'home'>) {
  const state = stateDirectory(platform)
  return {
    started: join(state, 'started'),
    logs: join(state, 'logs'),
    cache: join(cacheDirectory(platform), 'servers'),
    logins: join(state, 'logins'),
  }
}

export function dataDirectory({ env, home }: Pick<Platform, 'env' | 'home'>): string {
  return join(absolute(env['XDG_DATA_HOME']) ?? join(home, '.local/share'), 'plugboard')
}

/** XDG: an empty or relative value counts as unset. Otherwise our files could be read from a project's folder. */
function absolute(path: string | undefined): string | undefined {
  return path !== undefined && isAbsolute(path) ? path : undefined
}
