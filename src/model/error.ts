import type { Json } from './json.ts'
import type { Failure } from './status.ts'

/** Every code of a `HostError`, with its data. Problems in the configuration are diagnostics, not errors. */
export interface ErrorData {
  usage: Readonly<Record<string, never>>
  'server.unknown': {
    readonly server: string
    readonly near?: readonly string[]
    /** Servers that there are, and that cannot be used for what was asked. */
    readonly stays?: readonly string[]
  }
  'agent.unknown': { readonly agent: string; readonly near?: readonly string[] }
  'source.unknown': { readonly source: string; readonly near?: readonly string[] }
  'config.invalid': {
    readonly file?: string
    readonly server?: string
    /** The option or key of the entry that is invalid, such as `servers.github.args`. */
    readonly key?: string
  }
  'config.exists': { readonly server: string; readonly file: string }
  'config.conflict': { readonly file: string }
  'config.locked': { readonly file: string }
  'config.unwritable': { readonly file: string }
  'trust.refused': { readonly server: string }
  'store.damaged': { readonly file: string }
  'store.unavailable': { readonly place: string }
  'store.newer': { readonly place: string; readonly step: string }
  'store.unknown': { readonly conversation: string }
  'task.unknown': { readonly task: string }
  'task.unreachable': { readonly task: string; readonly server: string }
  /** `length` is how many messages the conversation has now. */
  'store.conflict': { readonly conversation: string; readonly length: number }
  'key.unknown': { readonly key: string }
  'key.exists': { readonly key: string }
  'version.unknown': { readonly number: number }
  'question.unknown': { readonly question: string }
  'question.settled': { readonly question: string; readonly state: string }
  /** `runner` is its name: `bwrap`, `podman`, `docker` or one of the settings. */
  'runner.unavailable': { readonly server: string; readonly runner: string }
  'value.unresolved': { readonly server: string; readonly names: readonly string[] }
  'server.disabled': { readonly server: string }
  'server.untrusted': { readonly server: string }
  'server.needs-auth': { readonly server: string; readonly failure: Failure }
  /** `retryAt`: after repeated failures the server is not tried again before this time. */
  'server.failed': { readonly server: string; readonly failure: Failure; readonly retryAt?: number }
  /** `oauth` is the issuer's own word, such as `access_denied`. */
  'login.failed': { readonly server: string; readonly reason: string; readonly oauth?: string }
  'login.timeout': { readonly server: string }
  'login.cancelled': { readonly server: string }
  'host.closed': { readonly server?: string }
  /** `reason` is a word such as `dns`, `timeout` or `http-503`. */
  'registry.failed': { readonly registry: string; readonly reason: string }
  'registry.unknown': { readonly name: string; readonly near: readonly string[] }
  'model.none': Readonly<Record<string, never>>
  /** `model` is the reference, or its endpoint if there is none of that name. */
  'model.unknown': { readonly model: string; readonly near: readonly string[] }
  'model.unauthorized': { readonly endpoint: string; readonly status?: number }
  /** `reason` is a word such as `refused`, `dns`, `timeout`, `redirect` or `http-503`. */
  'model.unavailable': { readonly endpoint: string; readonly reason: string }
  'model.busy': { readonly endpoint: string; readonly retryAfterMs?: number }
  /** `reason` is the endpoint's own word, such as `context_length_exceeded`. */
  'model.refused': { readonly endpoint: string; readonly status: number; readonly reason?: string }
  /** The server answered a raw request with an error. */
  'request.refused': { readonly server: string; readonly method: string; readonly error: RpcFault }
  'tool.quarantined': { readonly server: string; readonly tool: string }
  /** `text` is what the tool said. */
  'tool.failed': { readonly ref: string; readonly text: string }
  /**
   * `reason`: why the definition is held; `unlisted` if the server did not list its tools before the call. `sent`: the call
   * ran, and its answer was not passed on.
   */
  'tool.held': {
    readonly ref: string
    readonly server: string
    readonly reason: string
    readonly sent?: true
  }
  'prompt.held': { readonly server: string; readonly prompt: string; readonly reason: string }
  /** Also of a template that the address belongs to, and of the files of a skill. */
  'resource.held': { readonly server: string; readonly uri: string; readonly reason: string }
  'tool.unknown': { readonly tool: string; readonly near: readonly string[] }
  'app.unusable': { readonly server: string; readonly uri: string }
  /** `reason`: why it is held. */
  'app.held': { readonly server: string; readonly uri: string; readonly reason: string }
  'prompt.unknown': { readonly prompt: string; readonly server?: string; readonly near: readonly string[] }
  'resource.unknown': { readonly uri: string }
  'skill.unknown': { readonly skill: string; readonly near: readonly string[] }
  /** `reason` is a word: `unlisted`, `content`, `size`, `digest` or `frontmatter`. */
  'skill.unverified': {
    readonly server: string
    readonly uri: string
    readonly file: string
    readonly reason: string
  }
  'call.invalid-args': { readonly ref: string; readonly problems: readonly ArgumentProblem[] }
  'call.denied': { readonly ref: string; readonly reason: string }
  'call.limited': { readonly ref: string; readonly retryAfterMs: number }
  'call.busy': { readonly server: string }
  'call.unknown': { readonly call: string }
  'call.timeout': SentRequest
  'call.cancelled': SentRequest
  'call.too-large': SentRequest
  'call.protocol': SentRequest
  /** The connection broke after the request was sent: whether it was carried out is unknown (D-5). */
  'call.outcome-unknown': SentRequest & { readonly failure: Failure }
  /** `command` does the same in a terminal. */
  'code.needed': { readonly command?: string }
  /** `reason` is a word: `wrong`, `expired`, `unknown` or `other`. */
  'code.wrong': { readonly reason: string }
  'serve.running': { readonly address: string; readonly pid: number }
  'serve.none': Readonly<Record<string, never>>
}
/** Data of errors whose request may have been sent; `sent` says whether the server may have acted on it. */
export interface SentRequest {
  readonly server: string
  readonly method: string
  readonly sent: boolean
}

/** One problem in the arguments of a call, worded so that a model can correct it. */
export interface ArgumentProblem {
  /** `filter.labels[2]`; empty for the arguments as a whole. */
  readonly path: string
  readonly message: string
}

/** A JSON-RPC error response of a server. */
export interface RpcFault {
  readonly code: number
  readonly message: string
  readonly data?: Json
}

export type ErrorCode = keyof ErrorData

/**
 * The one error class of the package. `code` narrows `data`:
 *
 * @example
 * try {
 *   await host.call('github__create_issue', args)
 * } catch (error) {
 *   if (isHostError(error, 'call.denied')) console.error(error.data.reason)
 *   else throw error
 * }
 */
export class HostError<C extends ErrorCode = ErrorCode> extends Error {
  override readonly name = 'HostError'
  readonly code: C
  readonly data: ErrorData[C]
  /** The next step, for a person. */
  readonly hint?: string

  constructor(code: C, data: ErrorData[C], message: string, options: ErrorOptions & { hint?: string } = {}) {
    super(message, options)
    this.code = code
    this.data = data
    if (options.hint !== undefined) this.hint = options.hint
  }

  /** Declared with a type predicate, because TypeScript narrows `instanceof` of a generic class to `HostError<any>`. */
  static override [Symbol.hasInstance](value: unknown): value is AnyHostError {
    return Function.prototype[Symbol.hasInstance].call(this, value)
  }
}

/** The union of `HostError` over all codes: comparing `code` narrows `data`. */
export type AnyHostError = { [C in ErrorCode]: HostError<C> }[ErrorCode]

/** Whether a thrown value is a `HostError`; with a code, whether it has that code, which narrows `data`. */
export function isHostError(error: unknown): error is AnyHostError
export function isHostError<C extends ErrorCode>(error: unknown, code: C): error is HostError<C>
export function isHostError(error: unknown, code?: ErrorCode): boolean {
  return error instanceof HostError && (code === undefined || error.code === code)
}
