import type { PresetPage } from '../model/preset.ts'

export const defaultPage: PresetPage = {
  notes: [
    { id: 'C20', reason: 'the wire is ours; the official client serves logins and interop tests' },
    { id: 'C34', reason: 'our own tree; each system’s table maps its files to ours' },
    { id: 'C35', reason: 'few dependencies, loaded where needed; the wire itself has none' },
  ],
  mappings: [],
}
