import { domainToUnicode } from 'node:url'

/** An address that a server wants a person to open, taken apart for looking at. */
export interface Address {
  readonly before: string
  readonly host: string
  readonly after: string
  /** What is odd about it. */
  readonly warnings: readonly string[]
}

const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

/** What there is to see, or why nobody should open it. */
export function lookAtAddress(text: string): Address | string {
  if (!URL.canParse(text)) return 'is none'
  const url = new URL(text)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return `is no page (${url.protocol})`
  if (url.protocol === 'http:' && !loopback.test(url.hostname)) return 'is not encrypted (http)'
  if (url.username !== '' || url.password !== '') return 'holds a login before its host'
  const at = url.href.indexOf(url.host)
  return {
    before: url.href.slice(0, at),
    host: url.host,
    after: url.href.slice(at + url.host.length),
    warnings: warningsOf(url),
  }
}

function warningsOf(url: URL): readonly string[] {
  return [...oddLetters(url), ...oddEnd(url)]
}

/** `bank.com.evil.example` begins with another one's name; `com.au` and the like are ends of their own. */
function oddEnd({ hostname }: URL): readonly string[] {
  const [, like, end] = /^(.+\.(?:com|net|org|gov|edu|io|dev|app))\.([^.]+\..+)$/.exec(hostname) ?? []
  if (like === undefined) return []
  return [`the name begins like ${like}, but what counts is its end: ${end}.`]
}

function oddLetters({ hostname }: URL): readonly string[] {
  const shown = domainToUnicode(hostname)
  if (/^[\x20-\x7E]*$/.test(shown) && !hostname.includes('xn--')) return []
  const mixed = shown.split('.').filter((label) => scriptsOf(label).length > 1)
  const looks = `the name looks like ${shown} and is really ${hostname}.`
  if (mixed.length === 0) return [looks]
  return [
    looks,
    `${mixed.join(', ')} mixes alphabets (${scriptsOf(mixed[0] ?? '').join(', ')}), as look-alikes do.`,
  ]
}

const scripts: readonly (readonly [string, RegExp])[] = [
  ['Latin', /\p{Script=Latin}/u],
  ['Cyrillic', /\p{Script=Cyrillic}/u],
  ['Greek', /\p{Script=Greek}/u],
  ['Armenian', /\p{Script=Armenian}/u],
  ['Hebrew', /\p{Script=Hebrew}/u],
  ['Cherokee', /\p{Script=Cherokee}/u],
]

function scriptsOf(label: string): readonly string[] {
  return scripts.filter(([, letters]) => letters.test(label)).map(([name]) => name)
}
