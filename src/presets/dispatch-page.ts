import type { PresetPage } from '../model/preset.ts'

export const dispatchPage: PresetPage = {
  notes: [
    { id: 'D28', reason: 'its words are in GLOSSARY.md' },
    { id: 'D29', reason: 'superseded by C20: the wire has no dependency, logins use the official client' },
    {
      id: 'D31',
      reason: 'the files of its module; the table below says where each one’s work is done (C34)',
    },
    { id: 'L1', reason: 'superseded: all phases are built, the later ones are off until asked for' },
    { id: 'L10', reason: 'a remark about its own list of extensions and versions' },
    { id: 'L11', reason: 'its way of testing: real processes and pipes, no stand-ins for our own parts' },
    { id: 'L13', reason: 'its gates; ours are types, lint, format and every test, in one command' },
    { id: 'L14', reason: 'what its first phase left out, where no other id names it' },
  ],
  mappings: [],
}
