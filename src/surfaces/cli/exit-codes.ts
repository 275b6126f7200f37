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
  unknown: {
    code: 5,
    meaning: 'there is no server, tool, prompt, resource, agent, source or client of that name',
  },
  conflict: { code: 6, meaning: 'the file was changed by somebody else, or is locked, or the name is taken' },
  unavailable: {
    code: 7,
    meaning:
      'the server is switched off, does not start, is out of reach, or does not speak as it should; what was asked of it was ' +
      'not done',
  },
  login: { code: 8, meaning: 'the server asks for a login' },
  timeout: { code: 9, meaning: 'it took too long; what was sent by then may have been done' },
  refused: {
    code: 10,
    meaning: 'the server answered, and its answer is an error: of the request, or of the tool',
  },
  outcomeUnknown: {
    code: 11,
    meaning:
      'the request was sent, and no answer came that could be read, because the connection broke, or the answer is too large ' +
      'or no proper one: it may have been done',
  },
  denied: { code: 12, meaning: 'a rule, or a person who was asked, did not let the call run' },
  internal: { code: 70, meaning: 'a fault of ours; the message has its details' },
  hungUp: { code: 129, meaning: 'ended by SIGHUP: the terminal is gone' },
  cancelled: { code: 130, meaning: 'cancelled with Ctrl-C or Ctrl-D' },
  terminated: { code: 143, meaning: 'ended by SIGTERM' },
} as const

export type Exit = keyof typeof exitCodes
