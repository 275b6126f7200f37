import { FileError, HostError } from '../../index.ts'
import type { ErrorCode, Failure } from '../../index.ts'
import { redactText } from '../../internal.ts'
import { quote } from '../terminal/argv.ts'
import { escapeLine, escapeText } from '../terminal/escape.ts'
import type { Exit } from './exit-codes.ts'

/** Why a command failed; `--json` prints it as `error`. */
export interface Fault {
  readonly code: ErrorCode | Exit
  readonly message: string
  readonly hint?: string
  readonly data?: object
}

/** The command line is wrong. */
export function usage(message: string, hint?: string): HostError<'usage'> {
  return new HostError('usage', {}, message, hint === undefined ? {} : { hint })
}

/** Ends the command with an exit code of its own: a signal, a timeout, a cancelled question. */
export class EarlyExit extends Error {
  readonly exit: Exit
  constructor(exit: Exit, message: string) {
    super(message)
    this.exit = exit
  }
}

/** The message, then the last stderr lines if a server failed, then the hint. */
export function drawFault({ message, hint, data }: Fault): string {
  const said = lastWords(data)
  const quoted = said.length > 0 ? ['It last said:', ...said.map((line) => `  ${escapeLine(line)}`)] : []
  return escapeText([message, ...quoted, ...(hint === undefined ? [] : [hint])].join('\n'))
}

const shownLines = 10

function lastWords(data: object | undefined): readonly string[] {
  const failure = data && 'failure' in data ? (data.failure as Partial<Failure>) : {} // the `failure` of every error is a Failure
  return (failure.stderr ?? []).slice(-shownLines)
}

const exits: Readonly<Partial<Record<ErrorCode, Exit>>> = {
  usage: 'usage',
  'server.unknown': 'unknown',
  'source.unknown': 'unknown',
  'tool.unknown': 'unknown',
  'prompt.unknown': 'unknown',
  'resource.unknown': 'unknown',
  'skill.unknown': 'unknown',
  'agent.unknown': 'unknown',
  'key.unknown': 'unknown',
  'key.exists': 'conflict',
  'version.unknown': 'unknown',
  'question.unknown': 'unknown',
  'question.settled': 'conflict',
  'config.exists': 'conflict',
  'config.conflict': 'conflict',
  'config.locked': 'conflict',
  'store.damaged': 'damaged',
  'store.unknown': 'unknown',
  'task.unknown': 'unknown',
  'task.unreachable': 'unavailable',
  'store.unavailable': 'unavailable',
  'store.conflict': 'conflict',
  'trust.refused': 'untrusted',
  'server.untrusted': 'untrusted',
  'server.disabled': 'unavailable',
  'server.failed': 'unavailable',
  'runner.unavailable': 'unavailable',
  'server.needs-auth': 'login',
  'login.failed': 'login',
  'login.timeout': 'timeout',
  'login.cancelled': 'cancelled',
  'host.closed': 'unavailable',
  'tool.quarantined': 'unavailable',
  'tool.held': 'denied',
  'prompt.held': 'denied',
  'resource.held': 'denied',
  'tool.failed': 'refused',
  'registry.failed': 'unavailable',
  'registry.unknown': 'unknown',
  'model.unknown': 'unknown',
  'model.unauthorized': 'login',
  'model.unavailable': 'unavailable',
  'model.busy': 'unavailable',
  'model.refused': 'refused',
  'request.refused': 'refused',
  'call.invalid-args': 'usage',
  'call.unknown': 'unknown',
  'call.denied': 'denied',
  'call.busy': 'unavailable',
  'call.limited': 'unavailable',
  'call.protocol': 'unavailable',
  'skill.unverified': 'unavailable',
  'call.too-large': 'unavailable',
  'call.timeout': 'timeout',
  'call.cancelled': 'cancelled',
  'call.outcome-unknown': 'outcomeUnknown',
  'serve.running': 'conflict',
  'serve.none': 'unavailable',
}

/** The exit of a command that an error with this code ends. */
export function exitOfCode(code: ErrorCode): Exit {
  return exits[code] ?? 'failed'
}

/** The exit of a command that failed with this error. */
export function exitOf(error: unknown): Exit {
  if (error instanceof EarlyExit) return error.exit
  if (!(error instanceof HostError)) return fromOutside(error) ? 'failed' : 'internal'
  const { code, data }: HostError = error
  const isPlace = code === 'registry.failed' || code === 'model.unavailable'
  if (isPlace && 'reason' in data && data.reason === 'timeout') return 'timeout'
  if (code === 'server.failed' && 'failure' in data && data.failure.code === 'timeout') return 'timeout'
  if (code === 'skill.unverified' && 'reason' in data && data.reason === 'unlisted') return 'unknown'
  const exit = exitOfCode(code)
  // A request that was sent may have been carried out, whatever came back.
  return exit === 'unavailable' && 'sent' in data && data.sent ? 'outcomeUnknown' : exit
}

/** The fault to show for an error, with secrets hidden. */
export function faultOf(error: unknown): Fault {
  const { code, message, hint, data } = describe(error)
  return {
    code,
    message: redactText(message),
    ...(hint !== undefined && { hint: redactText(hint) }),
    ...(data && { data: redactData(data) }),
  }
}

/** Includes a stack only for unexpected errors, which are bugs. */
function describe(error: unknown): Fault {
  if (error instanceof HostError) return fromHost(error)
  if (error instanceof EarlyExit) return { code: error.exit, message: error.message }
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
  return fromOutside(error) ?? { code: 'internal', message: `Plugboard failed unexpectedly: ${text}` }
}

function fromHost({ code, message, data, hint = usualHint(code, data) }: HostError): Fault {
  return {
    code,
    message,
    ...(hint !== undefined && { hint }),
    ...(Object.keys(data).length > 0 && { data }),
  }
}

const fileErrors: ReadonlySet<string> = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'ELOOP'])

/** Errors of the operating system, such as a deleted working directory or a full disk, are not bugs. */
function fromOutside(error: unknown): Fault | undefined {
  const folder = unmadeFolder(error instanceof FileError ? error.cause : error)
  if (folder !== undefined)
    return {
      code: 'failed',
      message: `The folder ${folder} cannot be made: the one above it is read-only, or does not exist.`,
      hint: 'Make that one writable, or set HOME, or XDG_STATE_HOME and XDG_CONFIG_HOME, to a folder that is.',
    }
  if (error instanceof FileError) return { code: 'failed', message: `${error.message}.` }
  if (!(error instanceof Error) || !('syscall' in error)) return undefined
  if (error.syscall === 'uv_cwd')
    return {
      code: 'failed',
      message: 'The working directory no longer exists.',
      hint: 'Change to a folder that exists.',
    }
  if ('path' in error && 'code' in error && fileErrors.has(String(error.code)))
    return {
      code: 'failed',
      message: `${String(error.path)} cannot be used: ${error.message.replace(/,.*$/, '')}.`,
      hint: 'Give yourself permission for it and for its folder.',
    }
  if (error.syscall !== 'write') return undefined
  return { code: 'failed', message: `The result could not be written: ${error.message}.` }
}

/** With a folder above that is read-only, `mkdir` reports that what it makes is missing. */
function unmadeFolder(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('syscall' in error) || error.syscall !== 'mkdir') return undefined
  const isMeant = 'code' in error && (error.code === 'ENOENT' || error.code === 'EROFS')
  return isMeant && 'path' in error ? String(error.path) : undefined
}

function usualHint(code: ErrorCode, data: HostError['data']): string | undefined {
  if (code === 'call.invalid-args' && 'ref' in data)
    return `See its arguments: plugboard tool ${quote(data.ref)}`
  return code === 'config.exists' ? 'Replace it with --force, or choose another name.' : undefined
}

function redactData(data: object): object {
  const redact = (_key: string, value: unknown) => (typeof value === 'string' ? redactText(value) : value)
  return JSON.parse(JSON.stringify(data), redact) as object // redacting keeps the shape
}
