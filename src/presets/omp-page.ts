import type { PresetPage } from '../model/preset.ts'

export const ompPage: PresetPage = {
  notes: [{ id: 'O22', reason: 'advice for authors: docs/guide/authoring.md' }],
  mappings: [],
}
