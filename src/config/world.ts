import { dirname, join, resolve } from 'node:path'
import type { Platform } from '../platform/platform.ts'
import type { World } from '../sources/source.ts'

/** What sources may know: the platform plus the directories of the project (D-16). */
export async function createWorld(
  platform: Platform,
  options: { readonly config?: string | undefined; readonly strictType?: boolean | undefined } = {},
): Promise<World> {
  const { os, home, env, systemRoot } = platform
  const cwd = resolve(platform.cwd)
  return {
    os,
    home,
    cwd,
    env,
    systemRoot,
    dirs: await projectDirs(cwd, platform),
    ...(options.config !== undefined && { config: options.config }),
    ...(options.strictType !== undefined && { strictType: options.strictType }),
  }
}

/** Up to the repository's root; without a repository only the working directory; never the home directory or `/`. */
async function projectDirs(cwd: string, platform: Platform): Promise<readonly string[]> {
  const allowed = (dir: string) => dir !== resolve(platform.home) && dirname(dir) !== dir
  const up: string[] = []
  for (let dir = cwd; allowed(dir); dir = dirname(dir)) {
    up.push(dir)
    if (await platform.files.stat(join(dir, '.git'))) return up
  }
  return allowed(cwd) ? [cwd] : []
}
