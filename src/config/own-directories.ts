import { isAbsolute, join } from 'node:path'
import type { Platform } from '../platform/platform.ts'

/** Where our own files are (D-12): configuration, which people edit, and state, which we keep for them. */
export function configDirectory({ env, home }: Pick<Platform, 'env' | 'home'>): string {
  return join(absolute(env['XDG_CONFIG_HOME']) ?? join(home, '.config'), 'plugboard')
}

export function stateDirectory({ env, home }: Pick<Platform, 'env' | 'home'>): string {
  return join(absolute(env['XDG_STATE_HOME']) ?? join(home, '.local/state'), 'plugboard')
}

export function cacheDirectory({ env, home }: Pick<Platform, 'env' | 'home'>): string {
  return join(absolute(env['XDG_CACHE_HOME']) ?? join(home, '.cache'), 'plugboard')
}

/** Where hosts write down what they have started, what servers said, what was learned about them, and logins. */
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

/** The XDG rule: what is empty or relative counts as unset. Our files must never be looked for in a project's folder. */
function absolute(path: string | undefined): string | undefined {
  return path !== undefined && isAbsolute(path) ? path : undefined
}
