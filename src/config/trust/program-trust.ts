import { readInstalledProgram } from '../../lock-file/installed-program.ts'
import type { Server } from '../../model/server.ts'
import type { Platform } from '../../platform/platform.ts'
import type { World } from '../../sources/source.ts'
import type { DiscoverOptions } from '../discover-options.ts'
import { readSettings } from '../settings.ts'
import type { Judgment, TrustRecord } from './trust-store.ts'

interface ProgramContext {
  readonly platform: Platform
  readonly world: Pick<World, 'dirs'>
}

/** What a server runs, as far as files say it: where its command is, and the scripts of the project that it names. */
export type RunsNow = Required<Pick<TrustRecord, 'scripts'>> &
  Pick<TrustRecord, 'program'> & {
    /** Those of the scripts that records of earlier versions do not have. */
    readonly resolved?: readonly string[]
  }

/** What was trusted of the scripts. */
export type TrustedScripts = Pick<Judgment, 'scripts' | 'isResolved'>

/** T03: reads files only. */
export async function readRuns(server: Server, { platform, world }: ProgramContext): Promise<RunsNow> {
  const { path, scripts, resolved } = await readInstalledProgram(server, { platform, dirs: world.dirs })
  return {
    ...(path !== undefined && { program: path }),
    scripts: Object.fromEntries(scripts),
    ...(resolved && { resolved: [...resolved] }),
  }
}

/** Whether the person asked that scripts of projects stay as they were trusted. */
export async function pinsFiles(
  platform: Platform,
  { settings }: Pick<DiscoverOptions, 'settings'>,
): Promise<boolean> {
  return settings !== false && (await readSettings(platform)).settings.pinFiles === true
}

/**
 * T03: with `pinFiles`, a trusted server is changed if a script that it runs is another one than when it was trusted. A
 * record of before covers no script.
 */
export async function judgeScripts(
  server: Server,
  judgment: Judgment,
  context: ProgramContext,
): Promise<Judgment> {
  const changed = changedScripts(judgment, await readRuns(server, context))
  return changed.length === 0 ? judgment : { state: 'changed', granted: [] }
}

/** The scripts that differ from those that were trusted, by their path in the project. */
export function changedScripts(trusted: TrustedScripts, now: RunsNow): readonly string[] {
  const { scripts: before = {} } = trusted
  const open = uncoveredScripts(trusted, now)
  const names = [...new Set([...Object.keys(before), ...Object.keys(now.scripts)])]
  return names.filter((name) => before[name] !== now.scripts[name] && !open.includes(name))
}

/** T133: the scripts that run and that a record of an earlier version does not cover. It stays valid without them. */
export function uncoveredScripts(
  { scripts = {}, isResolved }: TrustedScripts,
  { resolved = [] }: RunsNow,
): readonly string[] {
  return isResolved ? [] : resolved.filter((name) => !Object.hasOwn(scripts, name))
}

/** Where the program is now, if it was another file when the server was trusted: one earlier in PATH may have taken its name. */
export function movedProgram(
  { program: trusted }: Pick<TrustRecord, 'program'>,
  { program: now }: Pick<RunsNow, 'program'>,
): { readonly from: string; readonly to: string } | undefined {
  return trusted === undefined || now === undefined || trusted === now
    ? undefined
    : { from: trusted, to: now }
}
