/** A system's rules as a table: every line names the requirement it comes from. */
export interface Preset {
  readonly name: PresetName
  readonly title: string
  /** The sources in use, highest in rank first. */
  readonly sources: readonly string[]
  /** Sources a person turned on count too. */
  readonly addsEnabledSources: boolean
  readonly rows: readonly PresetRow[]
}

export interface PresetRow {
  readonly topic: string
  readonly rule: string
  readonly ids: readonly string[]
}

export const presetNames = ['default', 'boocode', 'dispatch', 'omp'] as const
export type PresetName = (typeof presetNames)[number]
