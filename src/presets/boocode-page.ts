import type { PresetPage } from '../model/preset.ts'

export const boocodePage: PresetPage = {
  notes: [
    { id: 'P9', reason: 'no switch for a session, as the document says; hosts of ours have one (D6)' },
    { id: 'P10', reason: 'superseded by B26: setting one of the variables is a diagnostic' },
    { id: 'P17', reason: 'what the document leaves open: placeholders of C17, and the blocks are kept' },
    { id: 'B6', reason: 'the claim about another client’s file is wrong (C2); entries of either load' },
    { id: 'B25', reason: 'later there; our rules and approvals stand for the permission tables' },
    { id: 'B28', reason: 'a remark about that release' },
  ],
  mappings: [],
}
