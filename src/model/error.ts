/** Every error we throw, with the data that comes with it. A problem in a config is a diagnostic, never one of these. */
interface ErrorData {
  usage: Readonly<Record<string, never>>
  'server.unknown': { readonly server: string; readonly near?: readonly string[] }
  'source.unknown': { readonly source: string; readonly near?: readonly string[] }
  'config.invalid': { readonly file?: string; readonly server?: string }
  'config.exists': { readonly server: string; readonly file: string }
  'config.conflict': { readonly file: string }
  'config.locked': { readonly file: string }
  'config.unwritable': { readonly file: string }
  'trust.refused': { readonly server: string }
  'store.damaged': { readonly file: string }
  'value.unresolved': { readonly server: string; readonly names: readonly string[] }
}
export type ErrorCode = keyof ErrorData

export class HostError<C extends ErrorCode = ErrorCode> extends Error {
  override readonly name = 'HostError'
  readonly code: C
  readonly data: ErrorData[C]
  readonly hint?: string

  constructor(code: C, data: ErrorData[C], message: string, options: ErrorOptions & { hint?: string } = {}) {
    super(message, options)
    this.code = code
    this.data = data
    if (options.hint !== undefined) this.hint = options.hint
  }
}
