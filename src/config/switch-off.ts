import type { Server } from '../model/server.ts'
import type { Platform } from '../platform/platform.ts'
import { settingsFile } from './settings.ts'
import type { Settings } from './settings.ts'

/** Servers a person switched off in our settings, because their own file has no way to say so. */
export function switchOff(
  servers: readonly Server[],
  settings: Settings,
  platform: Platform,
): readonly Server[] {
  if (settings.disabledServers.length === 0) return servers
  const disabledBy = `${settingsFile(platform)}#/disabledServers`
  return servers.map((server) =>
    settings.disabledServers.includes(server.name) && server.enabled
      ? { ...server, enabled: false, disabledBy }
      : server,
  )
}
