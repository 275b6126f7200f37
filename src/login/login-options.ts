import type { Ask, Guard } from './guarded-http.ts'
import type { Challenge } from './challenge.ts'
import type { Declared } from './declared-login.ts'
import type { LoginStore } from './login-store.ts'
import type { Platform } from '../platform/platform.ts'

/** How a login comes about. */
export type LoginFlow = 'browser' | 'paste' | 'device'

/** What a person should see while they log in. None of it is a secret. */
export type LoginStep =
  /** `isOpen`: a browser shows it already. */
  | { readonly type: 'browser'; readonly url: string; readonly isOpen: boolean }
  | { readonly type: 'paste'; readonly url: string }
  /** The code is for typing it into the page. */
  | {
      readonly type: 'device'
      readonly url: string
      readonly code: string
      readonly completeUrl?: string
      readonly expiresAt: number
    }
  /** The person has done their part. */
  | { readonly type: 'exchanging' }

export interface LoginQuestions {
  readonly flow?: LoginFlow
  /** To be asked for besides those of an earlier login. */
  readonly scopes?: readonly string[]
  /** Where the browser comes back to; any free one unless given. */
  readonly port?: number
  /** Shows a page; `false` when that is not possible. The system's browser unless given. */
  readonly open?: (url: string) => Promise<boolean | void>
  /** Asks a person for the address their browser ended at, until the login is over. */
  readonly paste?: (question: string, signal: AbortSignal) => Promise<string>
  readonly tell?: (step: LoginStep) => void
}

/** One login: of whom, for what, and with what. */
export interface LoginRequest extends LoginQuestions {
  readonly server: URL
  readonly account: string
  readonly declared: Declared
  readonly challenge: Challenge | undefined
  /** Of the protocol; some servers look at it. */
  readonly version: string
  readonly signal: AbortSignal
  readonly ask: Ask
  readonly guard: Guard
  readonly store: LoginStore
  readonly platform: Pick<Platform, 'clock' | 'browser' | 'listen'>
}
