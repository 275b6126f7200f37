import { HostError } from '../../index.ts'
import type { ErrorCode } from '../../index.ts'
import { redactText } from '../../config.ts'
import { escapeText } from '../terminal/escape.ts'
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

/** A problem in one sentence with the next step. */
export function drawFault({ message, hint }: Fault): string {
  return escapeText(hint === undefined ? message : `${message}\n${hint}`)
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
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
  return fromOutside(error) ?? { code: 'failed', message: `Plugboard failed unexpectedly: ${text}` }
}

function fromHost({ code, message, hint = usualHint(code), data }: HostError): Fault {
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
      message: 'The working directory does not exist any more.',
      hint: 'Change to a folder that does.',
    }
  if (error.syscall !== 'write') return undefined
  return { code: 'failed', message: `The result could not be written: ${error.message}.` }
}

function usualHint(code: ErrorCode): string | undefined {
  return code === 'config.exists' ? 'Replace it with --force, or choose another name.' : undefined
}

function redactData(data: object): object {
  const redact = (_key: string, value: unknown) => (typeof value === 'string' ? redactText(value) : value)
  return JSON.parse(JSON.stringify(data), redact) as object // it stays one
}
