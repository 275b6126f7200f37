import { HostError } from '../model/error.ts'
import { removeHidden } from '../model/hidden.ts'
import { nextCommand } from '../model/next-command.ts'
import type { Failure, FailureCode } from '../model/status.ts'
import { SpawnError } from '../platform/platform.ts'
import { RpcError, WireError } from '../wire/wire-error.ts'

/** The next step for each kind of failure. `NAME` is replaced by the server's name. */
const hints: Readonly<Record<FailureCode, string>> = {
  values: 'Provide the missing values: plugboard why NAME',
  spawn: 'Check the command: plugboard why NAME',
  exit: 'See its output: plugboard logs NAME',
  timeout: 'See its output (plugboard logs NAME), or allow more time: "startupTimeout" in its entry.',
  protocol: 'Check that the command or address belongs to an MCP server: plugboard why NAME',
  'too-large': 'Request less data.',
  auth: 'Run: plugboard login NAME',
  forbidden: 'Its credentials do not allow this: plugboard why NAME',
  session: 'Try again.',
  rate: 'The server limits requests. Try again later.',
  upstream: 'The service reports a problem. Try again later.',
  tls: 'Check the server’s certificate. For a private authority, set NODE_EXTRA_CA_CERTS to its certificate file.',
  dns: 'Check the address: plugboard why NAME',
  network: 'Check that the service is running and that the address is right: plugboard why NAME',
  blocked: 'Check the address: plugboard why NAME',
  busy: 'Try again when fewer requests are running.',
  cancelled: 'Try again.',
  closed: 'See its output: plugboard logs NAME',
}

/** Failures that a retry cannot fix. */
const finalCodes: ReadonlySet<FailureCode> = new Set([
  'values',
  'spawn',
  'protocol',
  'tls',
  'forbidden',
  'blocked',
  'auth',
])

/** Whether a retry is pointless or disabled (C14). */
export function isFinal(
  error: unknown,
  { restart }: { readonly restart?: 'backoff' | 'never' } = {},
): boolean {
  if (restart === 'never') return true
  if (error instanceof SpawnError) return error.reason !== 'no-resources'
  if (error instanceof WireError) return finalCodes.has(error.code)
  return !(error instanceof RpcError)
}

/** Whether a login would fix it. */
export function needsLogin({ code, facts }: WireError): boolean {
  return code === 'auth' || facts.lacking !== undefined
}

/**
 * Describes a failure and the next step. The message may contain the server's own text, which a model may read (T17).
 */
export function toFailure(error: unknown, context: FailureContext): Failure {
  const failure = describe(error, context)
  const { redact = (text: string) => text } = context
  const hint = nextStepsFor(failure.hint, context)
  return { ...failure, hint, message: redact(removeHidden(failure.message).text) }
}

/** Replaces the commands of a hint if they do not find the server: its program looks at its own entry. */
export function nextStepsFor(hint: string, { server, isInCode = false }: FailureContext): string {
  if (!isInCode) return hint
  return hint
    .replaceAll(`: ${nextCommand('why', server)}`, '.')
    .replaceAll(nextCommand('logs', server), 'events "server.said"')
    .replaceAll(nextCommand('login', server), `login(${JSON.stringify(server)}) of plugboard/auth`)
}

export interface FailureContext {
  readonly server: string
  readonly at: number
  /** It is declared by the program (D-17): commands do not find it. */
  readonly isInCode?: boolean
  /** A server's answer may echo secrets that we sent (T35). */
  readonly redact?: (text: string) => string
}

function describe(error: unknown, { server, at }: FailureContext): Failure {
  if (error instanceof WireError) {
    const { exit, stderr = [], retryAfterMs, note } = error.facts
    const hint =
      engineHint(stderr) ??
      entryHint(error, server) ??
      scopeHint(error, server) ??
      hintFor(error.code, server)
    return {
      code: error.code,
      message: error.message,
      hint: note === undefined ? hint : `${note} ${hint}`,
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
  const code = error instanceof HostError && error.code === 'runner.unavailable' ? 'spawn' : 'values'
  return { code, message, hint, at }
}

function hintOf({ code, hint }: HostError, server: string): string | undefined {
  return hint ?? (code === 'config.invalid' ? `Change its entry: ${nextCommand('why', server)}` : undefined)
}

function hintFor(code: FailureCode, server: string): string {
  return hints[code].replace(/plugboard (\w+) NAME/g, (_, verb: string) => nextCommand(verb, server))
}

function spawnHint(error: SpawnError, server: string): string {
  if (error.reason === 'not-found')
    return `Install it, or put its full path into the entry: ${nextCommand('why', server)}`
  if (error.reason === 'no-permission') return 'Make the file executable, or name the program that runs it.'
  if (error.reason === 'bad-cwd') return `Check "cwd" in its entry: ${nextCommand('why', server)}`
  if (error.reason === 'no-resources') return 'Close other programs, or raise the limit on open files.'
  return hintFor('spawn', server)
}

/** A login does not replace credentials in the entry. */
function entryHint({ facts }: WireError, server: string): string | undefined {
  if (!facts.isOfEntry) return undefined
  return `Put other credentials into the "headers" or "auth" of its entry: ${nextCommand('why', server)}`
}

/** FI-42: names the missing scope, if the server does. */
function scopeHint({ code, facts }: WireError, server: string): string | undefined {
  const { lacking } = facts
  // Other characters are not put on a command line.
  if (lacking?.every((scope) => /^[\w:./-]+$/.test(scope))) {
    return `Run: ${nextCommand('login', server)} ${lacking.map((scope) => `--scope ${scope}`).join(' ')}`
  }
  const [, scope] = /\bscope="([\x20\x21\x23-\x7e]{1,200})"/.exec(facts.challenge ?? '') ?? []
  if (code !== 'forbidden' || scope === undefined) return undefined
  return `Its credentials lack the scope ${JSON.stringify(scope)}: ${nextCommand('why', server)}`
}

/** A server on the wrong Node version dies at startup, and only its stderr says why. */
function engineHint(stderr: readonly string[]): string | undefined {
  const isEngine =
    /EBADENGINE|Unsupported engine|requires? node|node(?:\.js)? version|SyntaxError: (?:Unexpected|Invalid)/i
  const line = stderr.find((each) => isEngine.test(each))
  if (line === undefined) return undefined
  return `It may need a different Node version than the one in its PATH (${process.version} here).`
}
