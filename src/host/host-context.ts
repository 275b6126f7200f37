import type { hostDirectories } from '../config/own-directories.ts'
import type { Preset } from '../model/preset.ts'
import type { Redactor } from '../model/secret.ts'
import type { Server } from '../model/server.ts'
import type { Platform } from '../platform/platform.ts'
import type { Events } from './host-events.ts'
import type { HostLimits, HostOptions } from './host-options.ts'
import type { Roots } from './roots.ts'

export const defaultLimits: HostLimits = {
  startupMs: 30_000,
  callMs: 60_000,
  maxCallMs: 600_000,
  maxBytes: 16 * 1024 * 1024,
  hardMaxBytes: 64 * 1024 * 1024,
  maxInFlight: { stdio: 64, http: 16 },
  maxQueued: 256,
  spawns: 8,
}

/** Everything one host is made of. */
export interface HostContext {
  readonly options: HostOptions
  readonly platform: Platform
  readonly preset: Preset
  readonly limits: HostLimits
  readonly redactor: Redactor
  readonly events: Events
  /** Servers of which somebody follows a resource, by name. */
  readonly followed: Set<string>
  readonly directories: ReturnType<typeof hostDirectories>
  readonly roots: Roots
}

/** How long a server may take to get ready. */
export function startupMsOf(
  { timeouts }: Pick<Server, 'timeouts'>,
  { options, preset, limits }: Pick<HostContext, 'options' | 'preset' | 'limits'>,
): number {
  // 0 takes the limit off calls; a start always has one.
  const ofCalls = preset.connecting.callTimeCoversStart ? timeouts.callMs || undefined : undefined
  return options.startupMs ?? timeouts.startupMs ?? ofCalls ?? limits.startupMs
}
