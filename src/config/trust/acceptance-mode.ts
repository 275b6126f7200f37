import { acceptWordOf, acceptWords } from '../../model/definition/accept-word.ts'
import type { AcceptWord } from '../../model/definition/accept-word.ts'
import type { PresetName } from '../../model/preset.ts'
import type { ToolSettings } from '../../model/tool-settings.ts'
import { believedPlatformOf } from '../discover-options.ts'
import type { DiscoverOptions } from '../discover-options.ts'
import { settingsOf } from '../discover.ts'
import { readToolSettings } from '../read-tool-settings.ts'
import { settingsFile } from '../settings.ts'

/** How definitions are accepted, and what decided it. */
export interface AcceptanceMode {
  readonly mode: AcceptWord
  /** `preset` if no setting of the person or the project applies. */
  readonly by: 'user' | 'project' | 'preset'
}

/**
 * The word of the person, or that of the preset if they have none; a project can only be stricter. The presets of other
 * systems are `off`: those systems offer what the server says.
 */
export function acceptanceOf(
  settings: readonly Pick<ToolSettings, 'kind' | 'value'>[],
  preset: PresetName,
): AcceptanceMode {
  const rankOf = (kind: ToolSettings['kind']) => {
    const words = settings.flatMap(({ kind: of, value: { accept } }) =>
      of === kind && accept !== undefined ? [acceptWords.indexOf(acceptWordOf(accept))] : [],
    )
    return Math.max(-1, ...words)
  }
  const [user, project] = [rankOf('user'), rankOf('project')]
  const own = user === -1 ? acceptWords.indexOf(preset === 'default' ? 'tofu' : 'off') : user
  const mode = acceptWords[Math.max(own, project)] ?? 'strict'
  return { mode, by: project > own ? 'project' : user === -1 ? 'preset' : 'user' }
}

/** How a host with these options and `accept: 'person'` accepts definitions. */
export interface AcceptanceReading extends AcceptanceMode {
  readonly preset: PresetName
  /** The person's settings, where it can be changed. */
  readonly file: string
}

/** Reads the settings only; no server is asked. */
export async function readAcceptance(options: DiscoverOptions): Promise<AcceptanceReading> {
  const { platform } = await believedPlatformOf(options)
  const own = await settingsOf(options, platform)
  const preset = options.preset ?? own.settings.preset ?? 'default'
  const { projectFiles = true } = options
  const { settings } =
    options.settings === false ? { settings: [] } : await readToolSettings(platform, { projectFiles })
  return { ...acceptanceOf(settings, preset), preset, file: settingsFile(platform) }
}
