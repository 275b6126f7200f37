import { isTeam } from '../../config/callers/team-setting.ts'
import type { Settings } from '../../config/settings.ts'
import type { Platform } from '../../platform/platform.ts'
import type { TeamStore } from './team-store.ts'

/** The database of the team of this machine; `undefined`, and nothing is loaded, if it is in none. */
export async function openTeam(
  platform: Platform,
  settings: Pick<Settings, 'store'>,
): Promise<TeamStore | undefined> {
  if (!isTeam(platform.env, settings)) return undefined
  return (await import('./team-store.ts')).createTeamStore(platform)
}
