import type { ErrorCode } from './error.ts'

/** What each error means: the reference page is made of it. `known` is the code others use for the same. */
export const errorCodes: Readonly<Record<ErrorCode, { readonly means: string; readonly known?: string }>> = {
  usage: { means: 'It was asked for in a way that cannot be understood.' },
  'server.unknown': { means: 'No server of this name is in force here.' },
  'agent.unknown': { means: 'No agent of this name is declared here.' },
  'source.unknown': { means: 'There is no source of this name.' },
  'config.invalid': { means: 'An entry or a file cannot be used as it stands.' },
  'config.exists': { means: 'The file declares a server of this name already.' },
  'config.conflict': { means: 'The file was changed by somebody else in the meantime; nothing was written.' },
  'config.locked': { means: 'Another process holds the file.' },
  'config.unwritable': { means: 'The file cannot be written.' },
  'trust.refused': { means: 'A person’s yes is missing, or was for another form of the entry.' },
  'store.damaged': { means: 'The file of a person’s decisions cannot be believed; nothing in it counts.' },
  'value.unresolved': { means: 'A value that the server needs is missing. It was not started.' },
  'server.disabled': { means: 'The server is switched off.' },
  'server.untrusted': { means: 'The project declares it and nobody has trusted it.', known: 'E_BLOCKED' },
  'server.needs-auth': {
    means: 'The server wants credentials, or no longer accepts those it got.',
    known: 'E_AUTH',
  },
  'server.failed': {
    means: 'The server cannot be reached; `data.failure.code` says why. The request was not sent.',
    known: 'E_SPAWN, E_EXIT, E_FORBIDDEN, E_SESSION, E_RATE, E_UPSTREAM, E_TLS, E_DNS',
  },
  'login.failed': { means: 'The login did not come about; `data.reason` says why.', known: 'E_AUTH' },
  'login.timeout': { means: 'Nobody logged in in time.' },
  'login.cancelled': { means: 'The login was given up.' },
  'host.closed': { means: 'The host is closed.' },
  'request.refused': { means: 'The server answered a request with an error; `data.error` is that answer.' },
  'tool.quarantined': {
    means: 'The server did not survive the last calls of this tool; it is held back for a while.',
  },
  'tool.unknown': { means: 'No tool of this name or ref is seen here.' },
  'prompt.unknown': { means: 'No prompt of this name is seen here, or its server offers none.' },
  'resource.unknown': { means: 'No server that is seen here lists this address or a template for it.' },
  'call.invalid-args': {
    means: 'The arguments are not right; `data.problems` says where. The tool was not called.',
  },
  'call.denied': { means: 'A rule or a person said no. The tool was not called.', known: 'E_BLOCKED' },
  'call.busy': { means: 'Too many requests are under way and in line.' },
  'call.timeout': {
    means: 'No answer in time. `data.sent` says whether the server may have acted.',
    known: 'E_TIMEOUT',
  },
  'call.cancelled': {
    means: 'Somebody gave it up: the caller, a stop, a restart, or the end of the host.',
    known: 'E_CANCELLED',
  },
  'call.too-large': {
    means: 'The answer is larger than what is read. The server was asked, and may have acted.',
    known: 'E_TOO_LARGE',
  },
  'call.protocol': {
    means: 'The answer breaks the rules of the protocol. `data.sent` says whether the server may have acted.',
    known: 'E_PROTO',
  },
  'call.outcome-unknown': {
    means: 'The connection was lost after the request was sent: nobody knows whether it ran.',
    known: 'E_OUTCOME_UNKNOWN',
  },
}
