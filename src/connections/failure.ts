import { HostError } from '../model/error.ts'
import { removeHidden } from '../model/hidden.ts'
import { nextCommand } from '../model/next-command.ts'
import type { Failure, FailureCode } from '../model/status.ts'
import { SpawnError } from '../platform/platform.ts'
import { RpcError, WireError } from '../wire/wire-error.ts'

/** What a person can do about each kind of failure. `NAME` stands for the server. */
const hints: Readonly<Record<FailureCode, string>> = {
  values: 'Give it the values it needs: plugboard why NAME',
  spawn: 'Check the command: plugboard why NAME',
  exit: 'Look at what it said: plugboard logs NAME',
  timeout: 'Look at what it said (plugboard logs NAME), or give it more time: "startupTimeout" in its entry.',
  protocol: 'Check that the command or address is one of an MCP server: plugboard why NAME',
  'too-large': 'Ask it for less.',
  auth: 'Run: plugboard login NAME',
  forbidden: 'Its credentials do not allow this: plugboard why NAME',
  session: 'Try again.',
  rate: 'It wants to be left alone for a while. Try again later.',
  upstream: 'The service has a problem of its own. Try again later.',
  tls: 'Check the certificate of the address. A file with its authority can be named in NODE_EXTRA_CA_CERTS.',
  dns: 'Check the address: plugboard why NAME',
  network: 'Check that the service runs and that the address is right: plugboard why NAME',
  blocked: 'Check the address: plugboard why NAME',
  busy: 'Try again when it has caught up.',
  cancelled: 'Try again.',
  closed: 'Look at what it said: plugboard logs NAME',
}

/** Failures that another try cannot mend. */
const finalCodes: ReadonlySet<FailureCode> = new Set([
  'values',
  'spawn',
  'protocol',
  'tls',
  'forbidden',
  'blocked',
  'auth',
])

/** No other try is worth it, or wanted (C14). */
export function isFinal(
  error: unknown,
  { restart }: { readonly restart?: 'backoff' | 'never' } = {},
): boolean {
  if (restart === 'never') return true
  if (error instanceof SpawnError) return error.reason !== 'no-resources'
  if (error instanceof WireError) return finalCodes.has(error.code)
  return !(error instanceof RpcError)
}

/** What a login would mend. */
export function wantsLogin({ code, facts }: WireError): boolean {
  return code === 'auth' || facts.lacking !== undefined
}

/** A failure as it is told: what happened, and the next step. A server's own words may be in it, and a model may read it (T17). */
export function toFailure(error: unknown, context: FailureContext): Failure {
  const failure = describe(error, context)
  const { redact = (text: string) => text } = context
  return { ...failure, message: redact(removeHidden(failure.message).text) }
}

export interface FailureContext {
  readonly server: string
  readonly at: number
  /** A server's answer may hold what we sent it (T35). */
  readonly redact?: (text: string) => string
}

function describe(error: unknown, { server, at }: FailureContext): Failure {
  if (error instanceof WireError) {
    const { exit, stderr = [], retryAfterMs } = error.facts
    return {
      code: error.code,
      message: error.message,
      hint:
        engineHint(stderr) ??
        entryHint(error, server) ??
        scopeHint(error, server) ??
        hintFor(error.code, server),
      ...(error.facts.lacking && { lacking: error.facts.lacking }),
      ...(exit && { exit }),
      ...(stderr.length > 0 && { stderr }),
      ...(retryAfterMs !== undefined && { retryAt: at + retryAfterMs }),
      at,
    }
  }
  if (error instanceof SpawnError) {
    const { message, searched } = error
    return {
      code: 'spawn',
      message,
      hint: spawnHint(error, server),
      ...(searched.length > 0 && { searched }),
      at,
    }
  }
  if (error instanceof RpcError) {
    return {
      code: 'protocol',
      message: `It answered: ${error.message}`,
      hint: hintFor('protocol', server),
      at,
    }
  }
  const message = error instanceof Error ? error.message : String(error)
  const hint = (error instanceof HostError && hintOf(error, server)) || hintFor('values', server)
  return { code: 'values', message, hint, at }
}

function hintOf({ code, hint }: HostError, server: string): string | undefined {
  return hint ?? (code === 'config.invalid' ? `Change its entry: ${nextCommand('why', server)}` : undefined)
}

function hintFor(code: FailureCode, server: string): string {
  return hints[code].replace(/plugboard (\w+) NAME/g, (_, verb: string) => nextCommand(verb, server))
}

function spawnHint(error: SpawnError, server: string): string {
  if (error.reason === 'not-found')
    return `Install it, or write its whole path into the entry: ${nextCommand('why', server)}`
  if (error.reason === 'no-permission') return 'Make the file executable, or name the program that runs it.'
  if (error.reason === 'bad-cwd') return `Check "cwd" in its entry: ${nextCommand('why', server)}`
  if (error.reason === 'no-resources') return 'Close other programs, or raise the limit of open files.'
  return hintFor('spawn', server)
}

/** A login replaces nothing that the entry itself says. */
function entryHint({ facts }: WireError, server: string): string | undefined {
  if (!facts.isOfEntry) return undefined
  return `Put other credentials into the "headers" or "auth" of its entry: ${nextCommand('why', server)}`
}

/** FI-42: what the credentials lack, where the server says it. */
function scopeHint({ code, facts }: WireError, server: string): string | undefined {
  const { lacking } = facts
  // What is no plain word is not put on a command line by us.
  if (lacking?.every((scope) => /^[\w:./-]+$/.test(scope))) {
    return `Run: ${nextCommand('login', server)} ${lacking.map((scope) => `--scope ${scope}`).join(' ')}`
  }
  const [, scope] = /\bscope="([\x20\x21\x23-\x7e]{1,200})"/.exec(facts.challenge ?? '') ?? []
  if (code !== 'forbidden' || scope === undefined) return undefined
  return `Its credentials lack the scope ${JSON.stringify(scope)}: ${nextCommand('why', server)}`
}

/** Servers on the wrong version of Node die in their first lines, and only their own words say why. */
function engineHint(stderr: readonly string[]): string | undefined {
  const isEngine =
    /EBADENGINE|Unsupported engine|requires? node|node(?:\.js)? version|SyntaxError: (?:Unexpected|Invalid)/i
  const line = stderr.find((each) => isEngine.test(each))
  if (line === undefined) return undefined
  return `It may need another version of Node than the one in its PATH (${process.version} here).`
}
