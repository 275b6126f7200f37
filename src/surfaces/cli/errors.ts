import { HostError } from '../../index.ts'
import type { ErrorCode, Failure } from '../../index.ts'
import { redactText } from '../../internal.ts'
import { quote } from '../terminal/argv.ts'
import { escapeLine, escapeText } from '../terminal/escape.ts'
import type { Exit } from './exit-codes.ts'

/** Why a command failed: what `--json` prints as `error`. */
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

/** The command was ended by something else than its own result. */
export class EarlyExit extends Error {
  readonly exit: Exit
  constructor(exit: Exit, message: string) {
    super(message)
    this.exit = exit
  }
}

/** A problem in one sentence with the next step; between them what a server said last, if it is about one. */
export function drawFault({ message, hint, data }: Fault): string {
  const said = lastWords(data)
  const quoted = said.length > 0 ? ['It last said:', ...said.map((line) => `  ${escapeLine(line)}`)] : []
  return escapeText([message, ...quoted, ...(hint === undefined ? [] : [hint])].join('\n'))
}

const shownLines = 10

function lastWords(data: object | undefined): readonly string[] {
  const failure = data && 'failure' in data ? (data.failure as Partial<Failure>) : {} // every `failure` of an error is one
  return (failure.stderr ?? []).slice(-shownLines)
}

const exits: Readonly<Partial<Record<ErrorCode, Exit>>> = {
  usage: 'usage',
  'server.unknown': 'unknown',
  'source.unknown': 'unknown',
  'tool.unknown': 'unknown',
  'prompt.unknown': 'unknown',
  'resource.unknown': 'unknown',
  'agent.unknown': 'unknown',
  'config.exists': 'conflict',
  'config.conflict': 'conflict',
  'config.locked': 'conflict',
  'store.damaged': 'damaged',
  'trust.refused': 'untrusted',
  'server.untrusted': 'untrusted',
  'server.disabled': 'unavailable',
  'server.failed': 'unavailable',
  'server.needs-auth': 'login',
  'login.failed': 'login',
  'login.timeout': 'timeout',
  'login.cancelled': 'cancelled',
  'host.closed': 'unavailable',
  'tool.quarantined': 'unavailable',
  'request.refused': 'refused',
  'call.invalid-args': 'usage',
  'call.denied': 'denied',
  'call.busy': 'unavailable',
  'call.protocol': 'unavailable',
  'call.too-large': 'unavailable',
  'call.timeout': 'timeout',
  'call.cancelled': 'cancelled',
  'call.outcome-unknown': 'outcomeUnknown',
}

/** How a command ends that failed with this. */
export function exitOf(error: unknown): Exit {
  if (error instanceof EarlyExit) return error.exit
  if (!(error instanceof HostError)) return fromOutside(error) ? 'failed' : 'internal'
  const { code, data }: HostError = error
  if (code === 'server.failed' && 'failure' in data && data.failure.code === 'timeout') return 'timeout'
  const exit = exits[code] ?? 'failed'
  // What was sent may have been done, whatever came back.
  return exit === 'unavailable' && 'sent' in data && data.sent ? 'outcomeUnknown' : exit
}

/** Secrets are hidden in it. */
export function faultOf(error: unknown): Fault {
  const { code, message, hint, data } = describe(error)
  return {
    code,
    message: redactText(message),
    ...(hint !== undefined && { hint: redactText(hint) }),
    ...(data && { data: redactData(data) }),
  }
}

/** A stack only for a fault of ours. */
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

/** What the machine refuses is no fault of ours: a folder that is gone, a disk that is full. */
function fromOutside(error: unknown): Fault | undefined {
  if (!(error instanceof Error) || !('syscall' in error)) return undefined
  if (error.syscall === 'uv_cwd')
    return {
      code: 'failed',
      message: 'The working directory no longer exists.',
      hint: 'Change to a folder that exists.',
    }
  if (error.syscall !== 'write') return undefined
  return { code: 'failed', message: `The result could not be written: ${error.message}.` }
}

function usualHint(code: ErrorCode, data: HostError['data']): string | undefined {
  if (code === 'call.invalid-args' && 'ref' in data)
    return `See its arguments: plugboard tool ${quote(data.ref)}`
  return code === 'config.exists' ? 'Replace it with --force, or choose another name.' : undefined
}

function redactData(data: object): object {
  const redact = (_key: string, value: unknown) => (typeof value === 'string' ? redactText(value) : value)
  return JSON.parse(JSON.stringify(data), redact) as object // it stays one
}
