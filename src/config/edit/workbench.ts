import type { Platform } from '../../platform/platform.ts'
import type { LostField } from '../../sources/entries/write-rules.ts'
import type { Source, World } from '../../sources/source.ts'
import { chooseSources, platformOf } from '../discover-options.ts'
import type { DiscoverOptions } from '../discover-options.ts'
import { readSettings } from '../settings.ts'
import type { Settings } from '../settings.ts'
import { createWorld } from '../world.ts'
import { addedKeysFile } from './added-keys.ts'
import { recordWrites } from './dry-run.ts'
import type { FileChange } from './dry-run.ts'
import type { EditedServer } from './edit-source-file.ts'
import type { Scope } from './edit-target.ts'

export interface EditOptions extends DiscoverOptions {
  /** Which file to edit: the user's or the project's. */
  readonly scope?: Scope
  /** Replace an entry of the same name. */
  readonly force?: boolean
  /** Give a server whose name the owner of the file refuses another one, `renamed` in the result. Without it that is an error. */
  readonly adaptName?: boolean
  /** Report what would be written, and write nothing. */
  readonly dryRun?: boolean
}

export interface EditResult {
  readonly file: string
  readonly changed: boolean
  readonly lost: readonly LostField[]
  /** The name of the new entry, if it is not the server's: the owner of the file refuses that. */
  readonly renamed?: string
  /** With `dryRun`, the changes that would be written; otherwise empty. */
  readonly changes: readonly FileChange[]
}

/** Everything that an edit needs. In a dry run, the platform records writes instead of performing them. */
export interface Workbench {
  readonly platform: Platform
  readonly world: World
  readonly settings: Settings
  readonly sources: readonly Source[]
  finish(edited: EditedServer): EditResult
}

export async function openWorkbench(options: EditOptions): Promise<Workbench> {
  const real = await platformOf(options)
  const recording = recordWrites(real.files, addedKeysFile(real))
  const platform: Platform = options.dryRun
    ? { ...real, files: recording, lock: (_path, work) => work() }
    : real
  const { settings } = await readSettings(platform)
  return {
    platform,
    settings,
    world: await createWorld(platform, options),
    sources: await chooseSources(options, settings),
    finish: (edited) => ({ ...edited, changes: options.dryRun ? recording.changes() : [] }),
  }
}
