/** The exit codes. `docs/reference/exit-codes.md` is generated from this table. */
export const exitCodes = {
  ok: { code: 0, meaning: 'done' },
  failed: {
    code: 1,
    meaning:
      'the command failed, or a config file that it depends on cannot be used; the message says why and what to do next',
  },
  usage: { code: 2, meaning: 'wrong usage: an unknown command, flag or value' },
  damaged: {
    code: 3,
    meaning: 'a file of Plugboard itself, such as the trust store, is damaged; its contents are ignored',
  },
  untrusted: {
    code: 4,
    meaning: 'a confirmation is needed: the answer was no, or there was no terminal to ask in',
  },
  unknown: {
    code: 5,
    meaning:
      'there is no server, tool, prompt, resource, skill, agent, model, conversation, question, task, call, key, published version, source or client with that name, or no server to copy',
  },
  conflict: {
    code: 6,
    meaning:
      'the file or the conversation was changed by another program, the file is locked, or the name is taken',
  },
  unavailable: {
    code: 7,
    meaning:
      'the server is switched off, does not start, cannot be reached or violates the protocol; the request was not carried out; or the store of conversations cannot be used',
  },
  login: { code: 8, meaning: 'the server requires a login' },
  timeout: { code: 9, meaning: 'timed out; a request that was already sent may have been carried out' },
  refused: {
    code: 10,
    meaning: 'the server answered with an error: it rejected the request, or the tool failed',
  },
  outcomeUnknown: {
    code: 11,
    meaning:
      'the request was sent, but no usable answer came back (connection lost, answer too large or malformed); it may have ' +
      'been carried out',
  },
  denied: { code: 12, meaning: 'a rule, or the person who was asked, denied the call, or its tool is held' },
  limit: { code: 13, meaning: 'a limit ended the run: steps, tokens, cost, time, or calls that repeat' },
  findings: {
    code: 14,
    meaning: 'the scanner found something of the severity of `--fail-on` or worse',
  },
  differs: {
    code: 15,
    meaning:
      'what runs or is offered differs from `mcp.lock.json`, or there is no usable one (`lock --check`, `lock --frozen`)',
  },
  internal: { code: 70, meaning: 'a bug in Plugboard; the message has the details' },
  hungUp: { code: 129, meaning: 'ended by SIGHUP: the terminal was closed' },
  cancelled: { code: 130, meaning: 'cancelled with Ctrl-C or Ctrl-D' },
  terminated: { code: 143, meaning: 'ended by SIGTERM' },
} as const

export type Exit = keyof typeof exitCodes
