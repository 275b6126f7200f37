/** Types for the part of the package that the tests use; it has none of its own. */
declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http'

  interface Interaction {
    readonly uid: string
    readonly prompt: { readonly name: string; readonly details: Readonly<Record<string, unknown>> }
    readonly params: Readonly<Record<string, string>>
    readonly session?: { readonly accountId: string }
    readonly grantId?: string
  }
  interface Grant {
    addOIDCScope(scope: string): void
    addResourceScope(resource: string, scope: string): void
    save(): Promise<string>
  }
  interface Token {
    readonly accountId?: string
    readonly isExpired: boolean
    readonly scope?: string
    readonly aud?: string
  }
  interface ValidIdToken {
    readonly payload: { readonly sub: string; readonly exp: number }
  }
  export interface GrantContext {
    readonly oidc: {
      readonly client: { readonly clientId: string }
      readonly params: Readonly<Record<string, string | undefined>>
    }
    status: number
    body: object
  }
  export class Provider {
    constructor(issuer: string, configuration: object)
    callback(): (request: IncomingMessage, response: ServerResponse) => void
    interactionDetails(request: IncomingMessage, response: ServerResponse): Promise<Interaction>
    interactionFinished(request: IncomingMessage, response: ServerResponse, result: object): Promise<void>
    on(event: string, listener: (...args: readonly unknown[]) => void): this
    readonly Grant: { new (options: object): Grant; find(id: string): Promise<Grant | undefined> }
    registerGrantType(
      name: string,
      handler: (context: GrantContext) => Promise<void>,
      params: readonly string[],
    ): void
    readonly IdToken: { validate(jwt: string, client: object): Promise<ValidIdToken> }
    readonly AccessToken: {
      new (options: object): { save(): Promise<string>; readonly expiration: number }
      find(token: string): Promise<Token | undefined>
    }
    readonly ClientCredentials: { find(token: string): Promise<Token | undefined> }
  }
}
