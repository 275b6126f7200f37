import type { AppPermission, AppWishes } from './app-document.ts'

/** What a person granted an app, of what it asks for. */
export interface AppGrants {
  readonly connect: readonly string[]
  readonly resources: readonly string[]
  readonly frames: readonly string[]
  readonly permissions: readonly AppPermission[]
}

export const noGrants: AppGrants = { connect: [], resources: [], frames: [], permissions: [] }

/** Never more than the app asks for now. */
export function usableGrants(wishes: AppWishes, granted: AppGrants): AppGrants {
  const both = <T extends string>(asked: readonly T[], given: readonly T[]) =>
    asked.filter((each) => given.includes(each))
  return {
    connect: both(wishes.connect, granted.connect),
    resources: both(wishes.resources, granted.resources),
    frames: both(wishes.frames, granted.frames),
    permissions: both(wishes.permissions, granted.permissions),
  }
}

/** What an app asks for and was not granted. */
export function missingGrants(wishes: AppWishes, granted: AppGrants): AppGrants {
  const without = <T extends string>(asked: readonly T[], given: readonly T[]) =>
    asked.filter((each) => !given.includes(each))
  return {
    connect: without(wishes.connect, granted.connect),
    resources: without(wishes.resources, granted.resources),
    frames: without(wishes.frames, granted.frames),
    permissions: without(wishes.permissions, granted.permissions),
  }
}

export function hasGrants({ connect, resources, frames, permissions }: AppGrants): boolean {
  return connect.length + resources.length + frames.length + permissions.length > 0
}

/** Whether frames of the text of the app are guarded. Pages of an origin that it may show in frames have what the guard takes away. */
export function hasFrameGuard({ frames }: Pick<AppGrants, 'frames'>): boolean {
  return frames.length === 0
}

/**
 * The content security policy of the document of an app, sent as a header. Without grants it reaches no address at all. Code of
 * the document itself may run in any form: text that becomes code reaches no further than a script of the document. `sandbox`
 * gives it an origin of its own, also if it is opened outside of a frame.
 *
 * @param ancestors The origins that may show it.
 */
export function appPolicy(grants: AppGrants, ancestors: readonly string[]): string {
  const { connect, resources, frames } = grants
  const from = (...sources: readonly string[]) => [...sources, ...resources].join(' ')
  const list = (sources: readonly string[]) => (sources.length === 0 ? "'none'" : sources.join(' '))
  return [
    "default-src 'none'",
    `script-src ${from("'unsafe-inline'", "'unsafe-eval'", "'wasm-unsafe-eval'", 'blob:', 'data:')}`,
    `style-src ${from("'unsafe-inline'", 'blob:', 'data:')}`,
    `img-src ${from('blob:', 'data:')}`,
    `media-src ${from('blob:', 'data:')}`,
    `font-src ${from('blob:', 'data:')}`,
    'worker-src blob: data:',
    `connect-src ${list(connect)}`,
    `frame-src ${list(frames)}`,
    "object-src 'none'",
    "manifest-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    // Of the specification; browsers that do not know it yet say so in their console.
    "webrtc 'block'",
    `frame-ancestors ${list(ancestors)}`,
    'sandbox allow-scripts allow-forms',
    // Text that becomes a frame passes the one policy that there is: that of the script before the document.
    ...(hasFrameGuard(grants) ? ["require-trusted-types-for 'script'", 'trusted-types default'] : []),
  ].join('; ')
}

/**
 * The `Connection-Allowlist` of the document of an app. A content security policy is about requests: names are looked up and
 * connections opened before it is asked (`rel=preconnect`, `rel=dns-prefetch`, a frame or a link to another address), and the name
 * of a host can say anything. Redirects are left to that policy, which looks at each address of them.
 */
export function appConnections({ connect, resources, frames }: AppGrants): string {
  const granted = [...connect, ...resources, ...frames]
  // A socket is matched by the address of the request that opens it.
  const origins = new Set(granted.map((origin) => origin.replace(/^wss:/, 'https:')))
  const patterns = [...origins].map((origin) => `"${origin}"`)
  return patterns.length === 0 ? '()' : `(${patterns.join(' ')});redirects=allow`
}

const policyFeatures = [
  'accelerometer',
  'autoplay',
  'bluetooth',
  'camera',
  'clipboard-read',
  'clipboard-write',
  'display-capture',
  'encrypted-media',
  'fullscreen',
  'gamepad',
  'geolocation',
  'gyroscope',
  'hid',
  'identity-credentials-get',
  'idle-detection',
  'local-fonts',
  'magnetometer',
  'microphone',
  'midi',
  'otp-credentials',
  'payment',
  'picture-in-picture',
  'publickey-credentials-get',
  'screen-wake-lock',
  'serial',
  'storage-access',
  'usb',
  'web-share',
  'window-management',
  'xr-spatial-tracking',
] as const

/** The `Permissions-Policy` of the document of an app: everything off but what was granted. */
export function appPermissionsPolicy({ permissions }: Pick<AppGrants, 'permissions'>): string {
  const granted: readonly string[] = permissions
  return policyFeatures.map((name) => `${name}=${granted.includes(name) ? '*' : '()'}`).join(', ')
}

/** The `allow` attribute of the frames around an app. */
export function allowAttribute({ permissions }: Pick<AppGrants, 'permissions'>): string {
  return permissions.map((name) => `${name} *`).join('; ')
}
