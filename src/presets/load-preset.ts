import type { Preset, PresetName, PresetPage } from '../model/preset.ts'

export async function loadPreset(name: PresetName): Promise<Preset> {
  switch (name) {
    case 'boocode':
      return (await import('./boocode-preset.ts')).boocodePreset
    case 'dispatch':
      return (await import('./dispatch-preset.ts')).dispatchPreset
    case 'omp':
      return (await import('./omp-preset.ts')).ompPreset
    case 'default':
      return (await import('./default-preset.ts')).defaultPreset
    default:
      return name satisfies never
  }
}

/** The part of a preset that only the documentation shows; kept apart so that a start does not load it. */
export async function loadPresetPage(name: PresetName): Promise<PresetPage> {
  switch (name) {
    case 'boocode':
      return (await import('./boocode-page.ts')).boocodePage
    case 'dispatch':
      return (await import('./dispatch-page.ts')).dispatchPage
    case 'omp':
      return (await import('./omp-page.ts')).ompPage
    case 'default':
      return (await import('./default-page.ts')).defaultPage
    default:
      return name satisfies never
  }
}
