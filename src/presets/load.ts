import type { Preset, PresetName } from '../model/preset.ts'

export async function loadPreset(name: PresetName): Promise<Preset> {
  switch (name) {
    case 'boocode':
      return (await import('./boocode.ts')).boocodePreset
    case 'dispatch':
      return (await import('./dispatch.ts')).dispatchPreset
    case 'omp':
      return (await import('./omp.ts')).ompPreset
    case 'default':
      return (await import('./default.ts')).defaultPreset
    default:
      return name satisfies never
  }
}
