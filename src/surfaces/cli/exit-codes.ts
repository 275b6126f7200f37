/** What the process says when it ends. `docs/reference/exit-codes.md` is generated from this table. */
export const exitCodes = {
  ok: { code: 0, meaning: 'done' },
  failed: { code: 1, meaning: 'it could not be done; the message says why and what to do next' },
  usage: { code: 2, meaning: 'the command line is wrong: an unknown command, flag or value' },
  damaged: {
    code: 3,
    meaning: 'a file of ours cannot be believed, such as the trust store; nothing in it counts',
  },
  untrusted: {
    code: 4,
    meaning: 'a person must say yes first, and nobody was there to ask or the answer was no',
  },
  unknown: { code: 5, meaning: 'there is no server, source or client of that name' },
  conflict: { code: 6, meaning: 'the file was changed by somebody else, or is locked, or the name is taken' },
  cancelled: { code: 130, meaning: 'cancelled with Ctrl-C or Ctrl-D' },
} as const

export type Exit = keyof typeof exitCodes
