import type { PresetPage } from '../model/preset.ts'

export const defaultPage: PresetPage = {
  notes: [
    { id: 'C20', reason: 'the wire is our own; the official client is used for logins and interop tests' },
    { id: 'C34', reason: 'our own tree; each system’s table maps its files to ours' },
    { id: 'C35', reason: 'few dependencies, loaded on demand; the wire itself has none' },
  ],
  mappings: [],
}
