import type { AppDocument } from '../model/app/app-document.ts'
import {
  allowAttribute,
  appConnections,
  appPermissionsPolicy,
  appPolicy,
  hasFrameGuard,
} from '../model/app/app-security.ts'
import type { AppGrants } from '../model/app/app-security.ts'
import { sha256Hex } from '../model/canonical.ts'
import { appPrelude, withEmptyFrames } from './app-prelude.ts'
import { frameScript } from './frame-script.ts'

export interface AppFrameOptions {
  /** What a person granted, of what the app asks for. */
  readonly grants: AppGrants
  /** The origin of the page that shows the frame. Only it may, and only it is believed. */
  readonly hostOrigin: string
  /** The origin that both documents are served from: another one than that of the page. */
  readonly frameOrigin: string
  /** The path of the document of the app there. */
  readonly appPath: string
}

/** An answer to a request for a document, without its status. */
export interface FrameAnswer {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/**
 * The two documents of an app, with their headers: the frame, which passes messages on, and in it the app in a sandbox without an
 * origin of its own. Serve each once, at an address that only the page knows: the policy belongs to this app and these grants.
 */
export function appFrameDocuments(
  { html }: Pick<AppDocument, 'html'>,
  { grants, hostOrigin, frameOrigin, appPath }: AppFrameOptions,
): { readonly frame: FrameAnswer; readonly app: FrameAnswer } {
  const script = frameScript({ hostOrigin, appPath, allow: allowAttribute(grants) })
  const hash = Buffer.from(sha256Hex(script), 'hex').toString('base64')
  const framePolicy = [
    "default-src 'none'",
    `script-src 'sha256-${hash}'`,
    `style-src 'sha256-${Buffer.from(sha256Hex(frameStyle), 'hex').toString('base64')}'`,
    // Also decides where the app may navigate itself to: nowhere.
    `frame-src ${frameOrigin}${appPath}`,
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors ${hostOrigin}`,
  ].join('; ')
  const isGuarded = hasFrameGuard(grants)
  const frame = `<!doctype html><meta charset="utf-8"><title>App</title><style>${frameStyle}</style><body><script>${script}</script>`
  return {
    frame: { headers: { ...documentHeaders, 'content-security-policy': framePolicy }, body: frame },
    app: {
      headers: {
        ...documentHeaders,
        'content-security-policy': appPolicy(grants, [hostOrigin, frameOrigin]),
        'permissions-policy': appPermissionsPolicy(grants),
        'connection-allowlist': appConnections(grants),
      },
      body: appPrelude({ isGuarded }) + (isGuarded ? withEmptyFrames(html) : html),
    },
  }
}

const frameStyle =
  'html,body,iframe{margin:0;padding:0;border:0;width:100%;height:100%;display:block;background:transparent}body{overflow:hidden}'

const documentHeaders: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-dns-prefetch-control': 'off',
  'cross-origin-resource-policy': 'same-origin',
  // A process of its own, where the browser has one to give.
  'origin-agent-cluster': '?1',
}
