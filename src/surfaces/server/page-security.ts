/**
 * The policy of the page: only its own files, and no text that becomes code (T37).
 *
 * @param frames What it may show in frames: the documents of apps, and nothing by default.
 */
export function contentSecurityPolicy(frames?: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "img-src 'self' blob:",
    'media-src blob:',
    "font-src 'none'",
    ...(frames === undefined ? [] : [`frame-src ${frames}`]),
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ')
}

/** Headers of every answer. There are none for other origins: no page of theirs may read an answer. */
export const safeHeaders: Readonly<Record<string, string>> = {
  'content-security-policy': contentSecurityPolicy(),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'x-frame-options': 'DENY',
  'cache-control': 'no-store',
}
