import type { ErrorCode } from './error.ts'

/** The meaning of each error code, from which the reference page is generated. `known` is the equivalent code of other hosts. */
export const errorCodes: Readonly<Record<ErrorCode, { readonly means: string; readonly known?: string }>> = {
  usage: { means: 'The command line or the options of a function are invalid.' },
  'server.unknown': { means: 'No server with this name is in force here.' },
  'agent.unknown': { means: 'No agent with this name is declared here.' },
  'source.unknown': { means: 'There is no source with this name.' },
  'config.invalid': { means: 'An entry or a file is invalid.' },
  'config.exists': { means: 'The file already declares a server with this name.' },
  'config.conflict': { means: 'The file changed in the meantime; nothing was written.' },
  'config.locked': { means: 'Another process has locked the file.' },
  'config.unwritable': { means: 'The file cannot be written.' },
  'trust.refused': { means: 'The entry is not trusted, or it changed since it was trusted.' },
  'store.damaged': {
    means: 'The file with the stored decisions is damaged, or writable by others; none of them is used.',
  },
  'store.unavailable': {
    means: 'The store of conversations cannot be reached or written; `data.place` says which one.',
  },
  'store.newer': { means: 'A newer Plugboard has changed the store; this one leaves it as it is.' },
  'store.unknown': { means: 'There is no such conversation in the store.' },
  'task.unknown': { means: 'No task has this id, or several begin with it.' },
  'task.unreachable': {
    means:
      'The server of the task is gone, does not say how it goes, or has another entry or login than when it began.',
  },
  'store.conflict': {
    means: 'Another program has added to the conversation in the meantime; nothing was written.',
  },
  'key.unknown': { means: 'There is no key of the gateway with this name.' },
  'key.exists': { means: 'There is a key of the gateway with this name. None was made.' },
  'version.unknown': { means: 'No published configuration of the gateway has this number.' },
  'question.unknown': { means: 'No pending question has this id.' },
  'question.settled': { means: 'The question was answered before, or has expired.' },
  'runner.unavailable': {
    means:
      'The runner that a server asks for is not installed, not defined, or does not exist on this system. The server was not started.',
  },
  'value.unresolved': { means: 'A value that the server needs is missing. The server was not started.' },
  'server.disabled': { means: 'The server is disabled.' },
  'server.untrusted': {
    means: 'The project declares the server and it is not trusted yet.',
    known: 'E_BLOCKED',
  },
  'server.needs-auth': {
    means: 'The server requires credentials, or no longer accepts those it was given.',
    known: 'E_AUTH',
  },
  'server.failed': {
    means: 'The server cannot be reached; `data.failure.code` says why. The request was not sent.',
    known: 'E_SPAWN, E_EXIT, E_FORBIDDEN, E_SESSION, E_RATE, E_UPSTREAM, E_TLS, E_DNS',
  },
  'login.failed': { means: 'The login failed; `data.reason` says why.', known: 'E_AUTH' },
  'login.timeout': { means: 'The login was not completed in time.' },
  'login.cancelled': { means: 'The login was cancelled.' },
  'host.closed': { means: 'The host is closed.' },
  'registry.failed': {
    means: 'The MCP registry cannot be reached, or its answer cannot be used; `data.reason` says why.',
  },
  'registry.unknown': {
    means: 'The MCP registry has no server with this name or version, or its publisher deleted it.',
  },
  'model.none': { means: 'No model is chosen: neither by an option nor by the settings of the person.' },
  'model.unknown': { means: 'There is no endpoint of models with this name, or it has no such model.' },
  'model.unauthorized': {
    means: 'The endpoint of the model needs a key, or does not accept the one it was given.',
  },
  'model.unavailable': {
    means: 'The endpoint of the model cannot be reached, or failed itself; `data.reason` says why.',
  },
  'model.busy': {
    means:
      'The endpoint of the model limits how much may be asked; `data.retryAfterMs` says for how long, if it does.',
  },
  'model.refused': { means: 'The endpoint of the model rejected the request; the message has its words.' },
  'request.refused': { means: 'The server answered the request with an error, which is in `data.error`.' },
  'tool.quarantined': {
    means: 'The server crashed during the last calls of this tool, which is blocked for a while.',
  },
  'tool.failed': {
    means:
      'The tool ran and reported a failure, or returned no structured content though it declares it. Thrown by generated functions only: a `call` has a result with `failed`.',
  },
  'tool.held': {
    means:
      'The definition of the tool is not the accepted one, or was never accepted. It was not called, or, with `data.sent`, its answer was not passed on; a person reviews it first: `plugboard review SERVER`.',
    known: 'E_BLOCKED',
  },
  'prompt.held': {
    means:
      'The definition of the prompt is not the accepted one, or was never accepted. A person reviews it first: `plugboard review SERVER`.',
    known: 'E_BLOCKED',
  },
  'resource.held': {
    means:
      'The scanner found something in the definition of the resource, or its template or skill is not the accepted one. It was not read; a person reviews it first: `plugboard review SERVER`.',
    known: 'E_BLOCKED',
  },
  'tool.unknown': { means: 'No tool with this name or ref is visible here.' },
  'app.unusable': {
    means: 'The tool has no app, or its document has another type, is empty, or is too large.',
  },
  'app.held': {
    means:
      'The document of the app is not the accepted one, or was never accepted. It is not shown; a person reviews it first: `plugboard review SERVER`.',
    known: 'E_BLOCKED',
  },
  'prompt.unknown': { means: 'No prompt with this name is visible here, or its server offers none.' },
  'resource.unknown': { means: 'No visible server lists this URI or a template for it.' },
  'skill.unknown': { means: 'No skill with this name is visible here, or several have it.' },
  'skill.unverified': {
    means:
      'A file of a skill is not what the entry of the skill lists: `data.reason` says whether it is its size, its digest or its front matter, or that it is not listed. The file was not used.',
  },
  'call.invalid-args': {
    means: 'The arguments are invalid; `data.problems` lists the problems. The tool was not called.',
  },
  'call.denied': {
    means: 'A rule or a person denied the call. The tool was not called.',
    known: 'E_BLOCKED',
  },
  'call.limited': {
    means:
      'A caller of the gateway has called too often; `data.retryAfterMs` says when it may again. The tool was not called.',
  },
  'call.busy': { means: 'Too many requests, or too many bytes of arguments, wait in line for the server.' },
  'call.unknown': { means: 'No call with this id is kept.' },
  'call.timeout': {
    means: 'No answer arrived in time. `data.sent` says whether the server may have acted.',
    known: 'E_TIMEOUT',
  },
  'call.cancelled': {
    means:
      'The call was cancelled: by the caller, by a stop or restart of the server, or because the host closed.',
    known: 'E_CANCELLED',
  },
  'call.too-large': {
    means: 'The answer exceeds the size limit. The request was sent, so the server may have acted.',
    known: 'E_TOO_LARGE',
  },
  'call.protocol': {
    means: 'The answer violates the protocol. `data.sent` says whether the server may have acted.',
    known: 'E_PROTO',
  },
  'call.outcome-unknown': {
    means: 'The connection was lost after the request was sent: it is unknown whether it ran.',
    known: 'E_OUTCOME_UNKNOWN',
  },
  'code.needed': {
    means: 'The page may do this only with a code that the terminal of `plugboard serve` shows.',
  },
  'code.wrong': { means: 'The code is wrong, used, too old, or was shown for something else.' },
  'serve.running': { means: 'Another `plugboard serve` runs; the message says where.' },
  'serve.none': { means: 'No `plugboard serve` runs.' },
}
