import type { SendGuardedRequest, AddressGuard } from './guarded-http.ts'
import type { Challenge } from './challenge.ts'
import type { DeclaredLogin } from './declared-login.ts'
import type { IdentityProvider } from './identity-provider.ts'
import type { LoginStore } from './login-store.ts'
import type { Platform } from '../platform/platform.ts'

/** How a person logs in: in this machine's browser, by pasting an address, or with a code on another device. */
export type LoginFlow = 'browser' | 'paste' | 'device'

/** What to show a person during a login. Contains no secrets. */
export type LoginStep =
  /** `isOpen`: a browser was opened with this address. */
  | { readonly type: 'browser'; readonly url: string; readonly isOpen: boolean }
  | { readonly type: 'paste'; readonly url: string }
  /** The person types the code into the page. */
  | {
      readonly type: 'device'
      readonly url: string
      readonly code: string
      readonly completeUrl?: string
      readonly expiresAt: number
    }
  /** The person is done; the code is being exchanged for tokens. */
  | { readonly type: 'exchanging' }

export interface LoginQuestions {
  readonly flow?: LoginFlow
  /** Scopes to request in addition to those of an earlier login. */
  readonly scopes?: readonly string[]
  /** The port that the browser is redirected to. Default: any free port. */
  readonly port?: number
  /** Opens a page; `false` when that is not possible. Default: the system's browser. */
  readonly open?: (url: string) => Promise<boolean | void>
  /** Asks the person for the address that their browser ended up at; aborted when the login ends. */
  readonly paste?: (question: string, signal: AbortSignal) => Promise<string>
  /** Called with each step that the person should see. */
  readonly tell?: (step: LoginStep) => void
}

/** Everything one login needs: server, account, settings, HTTP and store. */
export interface LoginRequest extends LoginQuestions {
  readonly server: URL
  readonly account: string
  readonly declared: DeclaredLogin
  readonly challenge: Challenge | undefined
  /** The MCP version sent with metadata requests; some servers check it. */
  readonly version: string
  readonly signal: AbortSignal
  readonly send: SendGuardedRequest
  readonly guard: AddressGuard
  /** A person waits for this login and can be asked to sign in. */
  readonly isAttended?: boolean
  /** Grants access instead of the person. */
  readonly provider?: IdentityProvider | undefined
  readonly store: LoginStore
  readonly platform: Pick<Platform, 'clock' | 'browser' | 'listen' | 'http' | 'env'>
}
